/** Which tool installs a Python app's packages. Each installs into one virtual environment, which is copied as a whole. */
import type { BuildStep } from '../../build-plan.ts';
import { present, run } from '../../plan-parts.ts';
import type { ProjectFiles } from '../../project-files.ts';
import type { UvMember } from './uv-workspace.ts';

/** The virtual environment; outside of /app, so that the source can't overwrite it. */
export const venv = '/venv';

export interface PythonPackages {
  name: string;
  /** Commands that install the tool itself, before pip installs into the virtual environment. */
  tool: string[];
  env: Record<string, string>;
  /** Whether the tool is the virtual environment's own pip. */
  bringsPip: boolean;
  /** The files that the install reads; empty where it may read any part of the source. */
  manifests: string[];
  install: BuildStep[];
  /** Steps after the source is copied. */
  installProject: BuildStep[];
  /** Whether the install writes into /app. */
  writesSource: boolean;
  /** Text of all manifests. */
  text: string;
  /** Whether a library is a dependency, direct or locked. */
  uses(library: string): boolean;
}

const pipCache = ['/root/.cache/pip'];
const sourceTexts = [
  'requirements.txt',
  'pyproject.toml',
  'Pipfile',
  'uv.lock',
  'poetry.lock',
  'Pipfile.lock',
  'setup.py',
  'setup.cfg',
];

/** One file for each environment, as Django's cookiecutter has them; they include each other. The first that exists is installed. */
const dividedRequirements = ['production', 'prod', 'base', 'common', 'main'].map(
  (name) => `requirements/${name}.txt`,
);

export function pythonPackages(files: ProjectFiles, member?: UvMember): PythonPackages {
  const project = files.read('pyproject.toml') ?? '';
  const divided = dividedRequirements.find(files.has);
  const texts = divided ? [...sourceTexts, ...dividedRequirements] : sourceTexts;
  const text = [...texts.map((path) => files.read(path) ?? ''), member?.lock ?? ''].join('\n');
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
  if (files.has('uv.lock')) return { ...facts, ...uv(files, ' --locked') };
  if (files.has('poetry.lock') || /^\[tool\.poetry\]/m.test(project))
    return { ...facts, ...poetry(files, project) };
  if (files.has('Pipfile')) return { ...facts, ...pipenv(files) };
  if (files.has('requirements.txt')) return { ...facts, ...pip(files) };
  if (divided) return { ...facts, ...pipDivided(divided) };
  const isPackage = /^\[build-system\]/m.test(project) || files.has('setup.py');
  if (isPackage) {
    return {
      ...facts,
      name: 'pip',
      bringsPip: true,
      install: [run('pip install .', pipCache)],
      writesSource: true,
    };
  }
  if (/^\[project\]/m.test(project)) return { ...facts, ...uv(files, '') };
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

/** The lock file is that of the workspace, and uv finds it from the member's directory. */
const uvMember = ({ directory }: UvMember) => ({
  name: 'uv (workspace)',
  tool: ['pip install uv'],
  env: uvEnv,
  install: [run(`cd ${directory} && uv sync --locked --no-dev`, ['/root/.cache/uv'])],
  writesSource: true,
});

/** https://docs.astral.sh/uv/guides/integration/docker/ */
function uv(files: ProjectFiles, locked: string) {
  const project = files.read('pyproject.toml') ?? '';
  // A root that is no package itself has no dependencies: those of its members are meant.
  const isVirtual = /^\[tool\.uv\.workspace\]/m.test(project) && !/^\[project\]/m.test(project);
  const sync = `uv sync${locked} --no-dev${isVirtual ? ' --all-packages' : ''}`;
  const caches = ['/root/.cache/uv'];
  // Resolving needs the workspace's members first.
  const isWorkspace = /^\[tool\.uv\.(workspace|sources)/m.test(project);
  return {
    name: 'uv',
    tool: ['pip install uv'],
    env: uvEnv,
    manifests: isWorkspace ? [] : present(files, ['pyproject.toml', 'uv.lock', 'README.md']),
    install: [run(`${sync} --no-install-project`, caches)],
    installProject: [run(sync, caches)],
    writesSource: true,
  };
}

function poetry(files: ProjectFiles, project: string) {
  const hasScripts = /^\[(tool\.poetry|project)\.scripts\]/m.test(project);
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
