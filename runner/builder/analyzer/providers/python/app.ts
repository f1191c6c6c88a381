/** Finds a Python project's app, and the server for it among its dependencies; without a server, an error recommends one. */
import { posix } from 'node:path';
import type { BuildStep } from '../../build-plan.ts';
import { directoriesBelow, run } from '../../plan-parts.ts';
import type { ProjectFiles } from '../../project-files.ts';
import { AnalyzerError } from '../../provider.ts';
import { declaredScript } from './declared-script.ts';
import { requirementsOf } from './requirements.ts';

export interface PythonApp {
  framework: string | null;
  start: string;
  build: BuildStep[];
  env: Record<string, string>;
  notes: string[];
}

type Uses = (library: string) => boolean;

const names = [
  'main',
  'app',
  'server',
  'wsgi',
  'asgi',
  'application',
  'api',
  'run',
  'start',
  'bot',
  '__init__',
];

interface FoundApp {
  file: string;
  /** `app.main:app` */
  target: string;
  /** The target is a function that returns a new app. */
  isFactory?: true;
}

const asgi: [library: string, id: string, type: string][] = [
  ['fastapi', 'fastapi', 'FastAPI'],
  ['starlette', 'starlette', 'Starlette'],
  ['litestar', 'litestar', 'Litestar'],
  ['quart', 'quart', 'Quart'],
];

/**
 * @param onlyName only the framework and its build, for a project whose user or Procfile sets the start command
 * @throws AnalyzerError if the project can't be started, with the missing dependency
 */
export function pythonApp(files: ProjectFiles, uses: Uses, onlyName = false): PythonApp {
  const found = asgi.find(([library]) => uses(library));
  const framework = frameworkOf(files, uses, found?.[1]);
  const app: PythonApp = { framework, start: '', build: [], env: {}, notes: [] };
  if (onlyName) return { ...app, build: framework === 'django' ? collectedFiles(files, uses) : [] };
  if (framework === 'django') return { ...app, ...django(files, uses) };
  if (framework === 'streamlit') {
    const flags = '--server.address 0.0.0.0 --server.port $PORT --server.headless true';
    return { ...app, start: `streamlit run ${scriptOf(files, 'streamlit_app.py')} ${flags}` };
  }
  if (framework === 'gradio') {
    return {
      ...app,
      env: { GRADIO_SERVER_NAME: '0.0.0.0' },
      start: `GRADIO_SERVER_PORT=$PORT python ${scriptOf(files)}`,
    };
  }
  if (framework === 'chainlit') {
    return { ...app, start: `chainlit run ${scriptOf(files)} --headless --host 0.0.0.0 --port $PORT` };
  }
  if (framework === 'sanic') {
    const target = findApp(files, 'Sanic')?.target;
    if (target) return { ...app, start: `sanic ${target} --host=0.0.0.0 --port=$PORT` };
  }
  if (framework === 'dash') return { ...app, ...dash(files, uses) };
  if (found && (findApp(files, found[2]) || !runsItself(files)))
    return { ...app, start: asgiServer(files, uses, found) };
  if (framework === 'flask') return { ...app, ...flask(files, uses) };
  const declared = usualScript(files) ? undefined : declaredScript(files);
  return { ...app, start: declared ?? `python ${scriptOf(files)}` };
}

function frameworkOf(files: ProjectFiles, uses: Uses, found: string | undefined): string | null {
  if (uses('django') && djangoRoot(files) !== undefined) return 'django';
  for (const id of ['streamlit', 'gradio', 'chainlit', 'sanic', 'dash']) if (uses(id)) return id;
  return found ?? (uses('flask') ? 'flask' : null);
}

/** Dash reads HOST and PORT; its Flask server is intended for gunicorn: https://dash.plotly.com/deployment */
function dash(files: ProjectFiles, uses: Uses): Partial<PythonApp> {
  const script = scriptOf(files);
  const server = /^(\w+)\s*=\s*\w+\.server\b/m.exec(files.read(script) ?? '')?.[1];
  return uses('gunicorn') && server
    ? { start: `gunicorn --bind 0.0.0.0:$PORT ${moduleOf(script)}:${server}` }
    : { start: `python ${script}`, env: { HOST: '0.0.0.0' } };
}

/** A lock file also lists the needs of other libraries: an app of FastHTML or NiceGUI locks Starlette, but starts itself. */
function runsItself(files: ProjectFiles): boolean {
  const script = names.map((name) => `${name}.py`).find(files.has) ?? '';
  return /^(?: {4}|\t)?(?:\w+\.)*(?:run|serve|main|start)\(/m.test(files.read(script) ?? '');
}

const usualScript = (files: ProjectFiles, ...first: string[]): string | undefined =>
  [...first, ...names.map((name) => `${name}.py`), ...names.map((name) => `src/${name}.py`)].find(
    (path) => !path.endsWith('__init__.py') && files.has(path),
  );

/** Finds a script with one of the usual names. */
function scriptOf(files: ProjectFiles, ...first: string[]): string {
  const script = usualScript(files, ...first);
  if (script) return script;
  throw new AnalyzerError(
    'Nothing says how this Python app starts: add main.py or a Procfile, or set startCommand.',
  );
}

/** Finds `app = FastAPI(...)` in the usual files and packages, or else a function of the project that creates the app. */
function findApp(files: ProjectFiles, type: string): FoundApp | undefined {
  const made = String.raw`(?:\w+\.)*(?:create|get|make|build|init)\w*`;
  return matchingFile(files, `(?:\\w+\\.)?${type}`, '\\w+') ?? matchingFile(files, made, 'app|application');
}

/** The first of the usual files in which a call of one of these functions is assigned to a variable. */
function matchingFile(files: ProjectFiles, functions: string, variables: string): FoundApp | undefined {
  const assigned = new RegExp(`^(${variables})\\s*(?::\\s*[\\w.]+\\s*)?=\\s*(?:${functions})\\(`, 'm');
  for (const directory of directoriesBelow(files, 2)) {
    for (const name of names) {
      const file = posix.join(directory, `${name}.py`);
      const variable = assigned.exec(files.read(file) ?? '')?.[1];
      if (variable) return { file, target: `${moduleOf(file)}:${variable}` };
    }
  }
  return undefined;
}

const moduleOf = (file: string) => file.replace(/(\/__init__)?\.py$/, '').replaceAll('/', '.');

function asgiServer(files: ProjectFiles, uses: Uses, [library, , type]: (typeof asgi)[number]): string {
  const app = findApp(files, type) ?? factoryOf(files);
  if (!app) {
    throw new AnalyzerError(
      `No "app = ${type}(...)" was found in main.py, app.py or a package: set startCommand.`,
    );
  }
  const root = sourceRoot(files, app.file);
  const target = root === '.' ? app.target : app.target.slice(root.length + 1);
  const directory = `${root === '.' ? '' : ` --app-dir ${root}`}${app.isFactory ? ' --factory' : ''}`;
  const brings = uses('uvicorn') || /fastapi\[(standard|all)/.test(requirementsOf(files));
  if (brings)
    return `uvicorn ${target}${directory} --host 0.0.0.0 --port $PORT --proxy-headers --forwarded-allow-ips="*"`;
  if (uses('hypercorn')) return `hypercorn ${app.target} --bind 0.0.0.0:$PORT`;
  if (uses('granian')) return `granian --interface asgi --host 0.0.0.0 --port $PORT ${app.target}`;
  throw new AnalyzerError(`${library} needs a server: add uvicorn to the dependencies, or set startCommand.`);
}

/** Names of functions that create an app. */
const factory = /^def ((?:create|make|get|build)_(?:app|application))\(/m;

function factoryOf(files: ProjectFiles): FoundApp | undefined {
  for (const directory of directoriesBelow(files, 2)) {
    for (const name of names) {
      const file = posix.join(directory, `${name}.py`);
      const made = factory.exec(files.read(file) ?? '')?.[1];
      if (made) return { file, target: `${moduleOf(file)}:${made}`, isFactory: true };
    }
  }
  return undefined;
}

/** A directory is not a Python package if it only contains packages: `src`, or a separate project. */
function sourceRoot(files: ProjectFiles, file: string): string {
  const [top = '.', ...below] = file.split('/');
  if (below.length === 0 || files.has(posix.join(top, '__init__.py'))) return '.';
  const isProject = ['pyproject.toml', 'requirements.txt'].some((name) => files.has(posix.join(top, name)));
  return top === 'src' || isProject ? top : '.';
}

/** The start command uses `exec`, because a factory's parentheses look like shell syntax. */
function flask(files: ProjectFiles, uses: Uses): Partial<PythonApp> {
  const made = factoryOf(files);
  const app = findApp(files, 'Flask')?.target ?? (made && `${made.target}()`);
  if (!app) return { start: `python ${scriptOf(files)}` };
  if (uses('gunicorn')) return { start: `exec gunicorn --bind 0.0.0.0:$PORT '${app}'` };
  if (uses('waitress')) {
    const call = app.endsWith('()') ? `--call ${app.slice(0, -2)}` : app;
    return { start: `waitress-serve --host=0.0.0.0 --port=$PORT ${call}` };
  }
  return {
    start: `exec flask --app '${app}' run --host 0.0.0.0 --port $PORT`,
    notes: [
      "Flask's own server is for development only. To use gunicorn instead, add it to the dependencies.",
    ],
  };
}

/** The directory of manage.py; `undefined` if there is none. */
const djangoRoot = (files: ProjectFiles) =>
  ['.', 'src', ...directoriesBelow(files, 1)].find((directory) =>
    files.has(posix.join(directory, 'manage.py')),
  );

/** WhiteNoise serves the files that a build has collected. */
function collectedFiles(files: ProjectFiles, uses: Uses): BuildStep[] {
  const settings = directoriesBelow(files, 2)
    .flatMap((directory) => [posix.join(directory, 'settings.py'), posix.join(directory, 'settings/base.py')])
    .map((path) => files.read(path))
    .find((text) => text !== undefined);
  const collects = uses('whitenoise') && /^\s*STATIC_ROOT\s*=/m.test(settings ?? '');
  const manage = posix.join(djangoRoot(files) ?? '.', 'manage.py');
  return collects ? [run(`python ${manage} collectstatic --noinput`)] : [];
}

function django(files: ProjectFiles, uses: Uses): Partial<PythonApp> {
  const root = djangoRoot(files) ?? '.';
  const below = directoriesBelow(files, root === '.' ? 2 : 3);
  const module = (kind: string) => {
    const path = below.map((directory) => posix.join(directory, `${kind}.py`)).find(files.has);
    return path && moduleOf(posix.relative(root, path));
  };
  const build = collectedFiles(files, uses);
  const option = (name: string) => (root === '.' ? '' : ` ${name} ${root}`);
  const [wsgi, asgiModule] = [module('wsgi'), module('asgi')];
  if (wsgi && uses('gunicorn')) {
    return { build, start: `gunicorn${option('--chdir')} --bind 0.0.0.0:$PORT ${wsgi}:application` };
  }
  if (asgiModule && uses('uvicorn')) {
    const flags = `${option('--app-dir')} --host 0.0.0.0 --port $PORT --proxy-headers`;
    return { build, start: `uvicorn ${asgiModule}:application${flags}` };
  }
  if (asgiModule && uses('daphne')) {
    const start = `daphne -b 0.0.0.0 -p $PORT ${asgiModule}:application`;
    return { build, start: root === '.' ? start : `cd ${root} && exec ${start}` };
  }
  return {
    build,
    start: `python ${posix.join(root, 'manage.py')} runserver --noreload 0.0.0.0:$PORT`,
    notes: [
      "Django's own server is for development only. To use gunicorn instead, add it to the dependencies.",
    ],
  };
}
