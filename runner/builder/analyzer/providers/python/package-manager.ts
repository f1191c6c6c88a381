/** The tool that installs a Python app's packages. Each tool installs into one virtual environment, which is copied as a whole. */
import type { BuildStep } from '../../build-plan.ts';
import { present, run } from '../../plan-parts.ts';
import type { ProjectFiles } from '../../project-files.ts';
import { readToml, type Toml, tryToml, valueAt } from '../../toml.ts';
import { requirementsOf } from './requirements.ts';
import { isUvWorkspace, type UvMember } from './uv-workspace.ts';

/** The virtual environment; outside of /app, so that the source can't overwrite it. */
export const venv = '/venv';

export interface PythonPackages {
  name: string;
  /** Commands that install the tool itself, before pip installs into the virtual environment. */
  tool: string[];
  env: Record<string, string>;
  /** True if the tool is the virtual environment's own pip. */
  bringsPip: boolean;
  /** The files that the install reads; empty if it may read any part of the source. */
  manifests: string[];
  install: BuildStep[];
  /** Steps after the source is copied. */
  installProject: BuildStep[];
  /** True if the install writes into /app. */
  writesSource: boolean;
  text: string;
  /** True if a library is a direct or locked dependency. */
  uses(library: string): boolean;
}

const pipCache = ['/root/.cache/pip'];
const sourceTexts = ['uv.lock', 'poetry.lock', 'Pipfile.lock', 'setup.py', 'setup.cfg'];

/** Requirements divided by environment, as in Django's cookiecutter; the files include each other. The first existing file is installed. */
const dividedRequirements = ['production', 'prod', 'base', 'common', 'main'].map(
  (name) => `requirements/${name}.txt`,
);

export function pythonPackages(files: ProjectFiles, member?: UvMember): PythonPackages {
  const divided = dividedRequirements.find(files.has);
  const texts = divided ? [...sourceTexts, ...dividedRequirements] : sourceTexts;
  const text = [
    requirementsOf(files),
    ...texts.map((path) => files.read(path) ?? ''),
    member?.lock ?? '',
  ].join('\n');
  const common = {
    tool: [],
    env: {},
    bringsPip: false,
    manifests: [],
    install: [],
    installProject: [],
    writesSource: false,
  };
  const facts = { ...common, text, uses: (library: string) => mentions(text, library) };
  if (member) return { ...facts, ...uvMember(member) };
  const project = () => readToml(files, 'pyproject.toml');
  if (files.has('uv.lock')) return { ...facts, ...uv(files, project(), ' --locked') };
  const isPoetry = valueAt(tryToml(files, 'pyproject.toml'), 'tool', 'poetry') !== undefined;
  if (isPoetry || files.has('poetry.lock')) return { ...facts, ...poetry(files, project()) };
  if (files.has('Pipfile')) return { ...facts, ...pipenv(files) };
  if (files.has('requirements.txt')) return { ...facts, ...pip(files) };
  if (divided) return { ...facts, ...pipDivided(divided) };
  const isPackage = project()['build-system'] !== undefined || files.has('setup.py');
  if (isPackage) {
    return {
      ...facts,
      name: 'pip',
      bringsPip: true,
      install: [run('pip install .', pipCache)],
      writesSource: true,
    };
  }
  if (project().project !== undefined) return { ...facts, ...uv(files, project(), '') };
  return { ...facts, name: 'no packages' };
}

/** Matches a name in a requirement, a lock file or a table: PEP 503 treats `-`, `_` and `.` as the same. */
const mentions = (text: string, library: string) =>
  new RegExp(`(^|["'\\s])${library.replaceAll('-', '[-_.]')}(?=["'\\s\\[=<>~!;@,]|$)`, 'im').test(text);

function pip(files: ProjectFiles) {
  const requirements = files.read('requirements.txt') ?? '';
  const needsSource = /^\s*(-e|-r|-c|--editable|--requirement|--constraint|--find-links|-f|\.|file:)/m.test(
    requirements,
  );
  const isEmpty = !/^\s*[^\s#]/m.test(requirements);
  return {
    name: 'pip',
    bringsPip: !isEmpty,
    manifests: needsSource ? [] : ['requirements.txt'],
    install: isEmpty ? [] : [run('pip install -r requirements.txt', pipCache)],
  };
}

const pipDivided = (path: string) => ({
  name: `pip (${path})`,
  bringsPip: true,
  install: [run(`pip install -r ${path}`, pipCache)],
});

const uvEnv = {
  UV_PROJECT_ENVIRONMENT: venv,
  UV_PYTHON: '/usr/local/bin/python3',
  UV_PYTHON_DOWNLOADS: 'never',
  UV_LINK_MODE: 'copy',
};

/** The lock file belongs to the workspace, and uv finds it from the member's directory. */
const uvMember = ({ directory }: UvMember) => ({
  name: 'uv (workspace)',
  tool: ['pip install uv'],
  env: uvEnv,
  install: [run(`cd ${directory} && uv sync --locked --no-dev`, ['/root/.cache/uv'])],
  writesSource: true,
});

/** https://docs.astral.sh/uv/guides/integration/docker/ */
function uv(files: ProjectFiles, project: Toml, locked: string) {
  // A root that is not a package has no dependencies: those of its members are used.
  const isVirtual = isUvWorkspace(project) && project.project === undefined;
  const sync = `uv sync${locked} --no-dev${isVirtual ? ' --all-packages' : ''}`;
  const caches = ['/root/.cache/uv'];
  // uv needs the workspace's members to resolve versions.
  const needsMembers = isUvWorkspace(project) || valueAt(project, 'tool', 'uv', 'sources') !== undefined;
  return {
    name: 'uv',
    tool: ['pip install uv'],
    env: uvEnv,
    manifests: needsMembers ? [] : present(files, ['pyproject.toml', 'uv.lock', 'README.md']),
    install: [run(`${sync} --no-install-project`, caches)],
    installProject: [run(sync, caches)],
    writesSource: true,
  };
}

function poetry(files: ProjectFiles, project: Toml) {
  const hasScripts = [['project'], ['tool', 'poetry']].some(
    (keys) => valueAt(project, ...keys, 'scripts') !== undefined,
  );
  const caches = ['/root/.cache/pypoetry'];
  return {
    name: 'Poetry',
    tool: ['pip install poetry'],
    env: { POETRY_VIRTUALENVS_CREATE: 'false', POETRY_NO_INTERACTION: '1' },
    manifests: present(files, ['pyproject.toml', 'poetry.lock', 'poetry.toml']),
    install: [run('poetry install --only main --no-root', caches)],
    installProject: hasScripts ? [run('poetry install --only-root', caches)] : [],
    writesSource: hasScripts,
  };
}

function pipenv(files: ProjectFiles) {
  const isLocked = files.has('Pipfile.lock');
  return {
    name: 'Pipenv',
    tool: ['pip install pipenv'],
    env: { PIPENV_VERBOSITY: '-1' },
    bringsPip: true,
    manifests: present(files, ['Pipfile', 'Pipfile.lock']),
    install: [
      run(isLocked ? 'pipenv install --deploy' : 'pipenv install --skip-lock', [
        '/root/.cache/pip',
        '/root/.cache/pipenv',
      ]),
    ],
    writesSource: false,
  };
}
