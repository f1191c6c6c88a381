/** Python: a virtual environment outside of the source, copied into a slim image. https://packaging.python.org/ */
import { readsSourceByVariable } from '../install-variables.ts';
import {
  build,
  env,
  install,
  type NativePackages,
  nativePackages,
  placed,
  run,
  served,
} from '../plan-parts.ts';
import type { ProjectFiles } from '../project-files.ts';
import { AnalyzerError, type BuildOverrides, type Provider } from '../provider.ts';
import { textAt, tryToml, valueAt } from '../toml.ts';
import { chooseVersion, toolVersion, versionFile } from '../version-files.ts';
import { pythonApp } from './python/app.ts';
import { type PythonPackages, pythonPackages, venv } from './python/package-manager.ts';
import { placedStep, uvWorkspace } from './python/uv-workspace.ts';

/** Libraries without wheels, or whose wheels need system packages. */
const native: NativePackages = {
  psycopg2: { build: ['gcc', 'libc6-dev', 'libpq-dev'], run: ['libpq5'] },
  psycopg: { build: [], run: ['libpq5'] },
  'psycopg-c': { build: ['gcc', 'libc6-dev', 'libpq-dev'], run: [] },
  mysqlclient: { build: ['gcc', 'libc6-dev', 'libmariadb-dev', 'pkg-config'], run: ['libmariadb3'] },
  uwsgi: { build: ['gcc', 'libc6-dev'], run: [] },
  'opencv-python': { build: [], run: ['libgl1', 'libglib2.0-0'] },
  weasyprint: { build: [], run: ['libpango-1.0-0', 'libpangoft2-1.0-0'] },
  pdf2image: { build: [], run: ['poppler-utils'] },
  pydub: { build: [], run: ['ffmpeg'] },
};

/** The C package is also an extra: `psycopg[c]`. */
const usesExtra = ({ text, uses }: PythonPackages, library: string) =>
  uses(library) || (library === 'psycopg-c' && /\bpsycopg\[(?:[^\]]*,)?\s*c\s*[\],]/.test(text));

/** Psycopg 3 in plain Python loads the client library of PostgreSQL, unless the package with the library is installed. */
const needsClientLibrary = ({ text, uses }: PythonPackages) =>
  uses('psycopg') && !/\bpsycopg\b[^\n]*\bbinary\b/.test(text);

const scripts = ['main.py', 'app.py', 'server.py', 'run.py', 'start.py', 'bot.py'];

/** The environment of Conda: https://docs.conda.io/projects/conda/en/latest/user-guide/tasks/manage-environments.html */
const condaFile = (files: ProjectFiles) =>
  ['environment.yml', 'environment.yaml'].find((path) => /^dependencies:/m.test(files.read(path) ?? ''));

/** A pyproject.toml may only configure tools, and a script may only accompany a package.json. */
const fits = (files: ProjectFiles) =>
  [
    'requirements.txt',
    'requirements/production.txt',
    'requirements/base.txt',
    'Pipfile',
    'setup.py',
    'uv.lock',
    'poetry.lock',
    'manage.py',
  ].some(files.has) ||
  condaFile(files) !== undefined ||
  (scripts.some(files.has) && !files.has('package.json')) ||
  describesProject(files);

/** An invalid file counts as well, so that an error can report the reason. */
function describesProject(files: ProjectFiles): boolean {
  const table = tryToml(files, 'pyproject.toml');
  if (!table) return !files.has('package.json');
  return table.project !== undefined || valueAt(table, 'tool', 'poetry') !== undefined;
}

export const python: Provider = {
  name: 'python',
  fits,
  plan(files, overrides) {
    const { version, from } = pythonVersion(files, overrides);
    const image = { name: 'python', version };
    const member = uvWorkspace(files);
    const manager = pythonPackages(files, member);
    const own = placed(overrides, member ? `cd ${member.directory} && ` : '');
    const conda = condaFile(files);
    if (conda && manager.name === 'no packages' && !overrides.installCommand) {
      throw new AnalyzerError(
        `${conda} lists packages of Conda, which Longshore does not install: list them in a requirements.txt (pip freeze > requirements.txt), or add a Dockerfile that starts from mambaorg/micromamba.`,
      );
    }
    const packages = nativePackages(native, (library) =>
      library === 'psycopg' ? needsClientLibrary(manager) : usesExtra(manager, library),
    );
    const app = overrides.startCommand || overrides.staticOutput ? null : pythonApp(files, manager.uses);
    const usesGit = /git\+(https|ssh)/.test(manager.text);
    const path = { VIRTUAL_ENV: venv, PATH: `${venv}/bin:$PATH` };
    const known = pythonApp(files, manager.uses, true);
    const { framework } = known;
    // Heroku's variable: https://devcenter.heroku.com/articles/django-assets
    const isBuilt = overrides.runtimeMode !== 'worker' && !overrides.env.DISABLE_COLLECTSTATIC;
    const built = build(isBuilt ? known.build.map((step) => placedStep(step, member)) : [], own);
    const changesSource = built.length > 0 || overrides.installCommand || manager.writesSource;
    return {
      provider: 'python',
      framework,
      ...(member ? { scope: 'repository' as const } : {}),
      notes: [
        `Python ${version} (${from}), ${manager.name}`,
        ...(framework ? [`Framework: ${framework}`] : []),
        ...indexNotes(overrides.env),
        ...(app?.notes ?? []),
      ],
      build: {
        image,
        packages: [...packages.build, ...(usesGit ? ['git'] : [])],
        steps: [
          ...manager.tool.map((command) => run(command, ['/root/.cache/pip'])),
          run(`python -m venv ${manager.bringsPip ? '' : '--without-pip '}${venv}`),
          env({ ...path, ...manager.env }),
          ...install(
            readsSourceByVariable(files, overrides.env) ? [] : manager.manifests,
            manager.install,
            own,
          ),
          ...manager.installProject,
          ...built,
        ],
      },
      output: served(
        () => ({
          type: 'run',
          image,
          packages: packages.run,
          copies: [
            { from: `${venv}/`, to: `${venv}/` },
            ...(changesSource ? [{ from: '/app/', to: '/app/' }] : []),
          ],
          ...(changesSource ? {} : { sources: ['.'] }),
          ...(member ? { directory: member.directory } : {}),
          env: { ...path, PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1', ...app?.env },
          start: overrides.startCommand || app?.start || '',
        }),
        overrides,
      ),
      release: null,
    };
  },
};

/** Switches that keep pip and uv from asking an index; both ignore the words for "off". */
const indexNotes = (variables: BuildOverrides['env']): string[] =>
  ['PIP_NO_INDEX', 'UV_NO_INDEX', 'UV_OFFLINE']
    .filter((name) => variables[name] && !/^(0|false|no|off|f|n)$/i.test(variables[name]))
    .map((name) => `No package index is asked, because the variable ${name} is set`);

function pythonVersion(files: ProjectFiles, { env: variables }: BuildOverrides) {
  const [project, pipfile] = ['pyproject.toml', 'Pipfile'].map((path) => tryToml(files, path));
  const poetry = valueAt(project, 'tool', 'poetry', 'dependencies', 'python');
  return chooseVersion(
    ['3.13', '3.14', '3.12', '3.11', '3.10', '3.9'],
    [
      ['PYTHON_VERSION', variables.PYTHON_VERSION],
      versionFile(files, '.python-version'),
      versionFile(files, 'runtime.txt'),
      toolVersion(files, 'python'),
      ['Pipfile', textAt(pipfile, 'requires', 'python_version')],
      ['Pipfile', textAt(pipfile, 'requires', 'python_full_version')],
      ['pyproject.toml', textAt(project, 'project', 'requires-python')],
      ['pyproject.toml', textAt(poetry) ?? textAt(poetry, 'version')],
    ],
  );
}
