/** The facts about a Deno project: a site that a generator or Vite writes, or a server with its start command. */
import { posix } from 'node:path';
import JSON5 from 'json5';
import { z } from 'zod';
import type { ProjectFiles } from '../../project-files.ts';

export interface DenoApp {
  framework: string | null;
  /** The directory of a site; `spa` if the site handles unknown paths itself. */
  site: { directory: string; spa: boolean } | null;
  /** The start file; the install downloads its modules. */
  main: string | undefined;
  /** `null` if no start command is found. */
  start: string | null;
  /** The build command, if the project has one. */
  build: string | null;
}

const mainFiles = ['main', 'server', 'index', 'app', 'mod', 'src/main', 'src/server', 'src/index'];
const viteConfigs = ['ts', 'mts', 'js', 'mjs'].map((ending) => `vite.config.${ending}`);
/** Lume's settings. */
const lumeConfigs = ['_config.ts', '_config.js', '_config.tsx', '_config.jsx'];

/** The only code that distinguishes a Deno script without settings from a Node script. */
const isDenoCode = (text: string) =>
  /\bDeno\.\w|\bfrom\s+["'](?:npm:|jsr:|https:\/\/(?:deno\.land|esm\.sh|jsr\.io)\/)/.test(text);

const denoMain = (files: ProjectFiles): string | undefined =>
  mainFiles
    .flatMap((file) => ['ts', 'tsx', 'js', 'mjs'].map((ending) => `${file}.${ending}`))
    .find(files.has);

/** True for a Deno project without settings: its main file uses features that only Deno has. */
export function isDenoScript(files: ProjectFiles): boolean {
  const main = denoMain(files);
  return !files.has('package.json') && main !== undefined && isDenoCode(files.read(main) ?? '');
}

export function denoApp(files: ProjectFiles): DenoApp {
  const config = files.read('deno.json') ?? files.read('deno.jsonc') ?? '';
  const tasks = tasksOf(config);
  const main = denoMain(files);
  const build = tasks.has('build') ? 'deno task build' : null;
  const server = { main, site: null, build };
  if (/["'](?:lume\/?|lume\/cli(?:\.ts)?)["']\s*:|\/lume@/.test(config) && lumeConfigs.some(files.has)) {
    // A server.ts beside it serves the same files on Deno's own platform.
    return {
      framework: 'lume',
      site: lumeSite(files),
      main: undefined,
      start: null,
      build: build ?? 'deno task lume',
    };
  }
  const imports = files.read('import_map.json') ?? '';
  if (/jsr:@fresh\/core|["']\$fresh\/["']/.test(config + imports)) {
    return { ...server, framework: 'fresh', start: ownStart(tasks, main) };
  }
  const serves = tasks.has('start') && !isDevelopment(tasks.get('start') ?? '');
  if (!serves && /\bvite\b[^&|;]*\bbuild\b/.test(tasks.get('build') ?? '') && files.has('index.html')) {
    return {
      framework: 'vite',
      site: { directory: viteOutput(files), spa: true },
      main: undefined,
      start: null,
      build,
    };
  }
  return { ...server, framework: null, start: ownStart(tasks, main, files) };
}

/** Commands that serve again at each change of a file, or with Vite: for development only. */
const isDevelopment = (command: string) =>
  /--watch\b|\bvite(\s|$)(?!.*\bbuild\b)|\bdev\.ts\s*$/.test(command);

/** The first task that starts the finished app, or else its main file. */
function ownStart(
  tasks: ReadonlyMap<string, string>,
  main: string | undefined,
  files?: ProjectFiles,
): string | null {
  const task = ['start', 'preview', 'serve'].find(
    (name) => tasks.has(name) && !isDevelopment(tasks.get(name) ?? ''),
  );
  if (task === 'start' || (task && !main)) return `deno task ${task}`;
  if (!main) return null;
  const named = [...tasks.values()].join(' ').match(/--unstable(-[\w-]+)?(?=\s|$)/g) ?? [];
  // Deno 2 has a separate flag for each feature; servers use the one for the database.
  const features = [...new Set(named.map((flag) => (flag === '--unstable' ? '--unstable-kv' : flag)))];
  const flags = ['--allow-all', ...features].join(' ');
  const text = files?.read(main) ?? '';
  // https://docs.deno.com/runtime/reference/cli/serve/
  const isHandler = /^export default\s*\{/m.test(text) && !/\bDeno\.serve\(|\.listen\(/.test(text);
  return isHandler ? `deno serve ${flags} --host 0.0.0.0 --port $PORT ${main}` : `deno run ${flags} ${main}`;
}

const taskSchema = z.union([
  z.string(),
  z.object({ command: z.string() }).transform(({ command }) => command),
]);
const configSchema = z.object({ tasks: z.record(z.string(), taskSchema.catch('')).catch({}).default({}) });

/** The commands of the tasks. Deno allows comments and trailing commas, as JSON5 does; a malformed file has no tasks. */
function tasksOf(config: string): Map<string, string> {
  try {
    return new Map(Object.entries(configSchema.parse(JSON5.parse(config)).tasks));
  } catch {
    return new Map();
  }
}

function lumeSite(files: ProjectFiles) {
  const config = lumeConfigs.map((path) => files.read(path)).find((text) => text !== undefined) ?? '';
  const given = /\bdest:\s*["'`]\.?\/?([\w.-][\w./-]*)["'`]/.exec(config)?.[1];
  return { directory: posix.join('.', given ?? '_site'), spa: false };
}

function viteOutput(files: ProjectFiles): string {
  const config = viteConfigs.map((path) => files.read(path)).find((text) => text !== undefined) ?? '';
  return /outDir:\s*["'`]\.?\/?([\w-][\w./-]*)["'`]/.exec(config)?.[1] ?? 'dist';
}
