/** A package's start command, and its needs in the final image. */
import { posix } from 'node:path';
import type { ProjectFiles } from '../../project-files.ts';
import { AnalyzerError, type BuildOverrides } from '../../provider.ts';
import { withCalledScripts } from './called-scripts.ts';
import { servesDevelopment } from './development-server.ts';
import type { PackageJson } from './package-json.ts';
import type { PackageManager } from './package-manager.ts';
import type { Serving } from './serving.ts';

const mainFiles = ['index', 'server', 'app', 'main', 'src/index', 'src/server', 'src/app', 'src/main'];

export interface StartFacts {
  root: ProjectFiles;
  directory: string;
  json: PackageJson;
  manager: PackageManager;
  serving: Serving | null;
}

/** @returns undefined when no start command is found @throws AnalyzerError with a framework's own reason */
export function startCommand(facts: StartFacts, overrides: BuildOverrides): string | undefined {
  const { json, serving } = facts;
  if (overrides.startCommand) return overrides.startCommand;
  const preset = serving?.type === 'server' ? serving : null;
  const worker = overrides.runtimeMode === 'worker' ? script(facts, 'worker') : undefined;
  const own = ownServer(json)
    ? script(facts, 'start')
    : preset?.start
      ? undefined
      : productionScripts.map((name) => script(facts, name)).find((text) => text !== undefined);
  if (preset?.refusal && !worker && !own) throw new AnalyzerError(preset.refusal);
  return worker ?? (preset?.startWins ? preset.start : null) ?? own ?? preset?.start ?? mainFile(facts);
}

/** Usual names where the script `start` is missing, or only serves during development. */
const productionScripts = ['start:prod', 'start:production', 'serve:prod', 'prod', 'production'];

/** True if the script `start` runs the project's own server. */
export const ownServer = ({ scripts }: PackageJson) =>
  scripts.start !== undefined && !servesDevelopment(scripts.start, scripts);

/**
 * The text of a script, so that no package manager stays in memory next to the app. If the manager does more than run the text, the
 * manager's command.
 */
function script(facts: StartFacts, name: string): string | undefined {
  const { json, manager } = facts;
  const text = withPresentFiles(facts, json.scripts[name]);
  if (text === undefined) return undefined;
  const needsManager = `pre${name}` in json.scripts || `post${name}` in json.scripts || text.includes('npm_');
  return needsManager ? `${manager.command} run ${name}` : text;
}

/** Node refuses to start without a file of `--env-file`; variables are set by the service, and few repositories contain the file. */
const withPresentFiles = ({ root, directory }: StartFacts, text: string | undefined) =>
  text?.replace(/--env-file[= ](\S+)\s*/g, (flag, path: string) =>
    root.has(posix.join(directory, path)) ? flag : '',
  );

function mainFile({ root, directory, json, manager }: StartFacts): string | undefined {
  const isForBun = Object.values(json.scripts).some((text) =>
    /^bun(x)?\s+(run\s+)?--?(hot|watch)\b/.test(text),
  );
  const runs = manager.name === 'bun' || isForBun ? 'bun' : 'node';
  const has = (path: string) => root.has(posix.join(directory, path));
  if (json.main && (has(json.main) || json.scripts.build)) return `${runs} ${json.main}`;
  const found = usualMainFile(has);
  return found && `${runs} ${found}`;
}

const endings = ['js', 'mjs', 'cjs', 'ts'];

/** @param has true for a file of the package */
export const usualMainFile = (has: (path: string) => boolean): string | undefined =>
  mainFiles.flatMap((file) => endings.map((ending) => `${file}.${ending}`)).find(has);

/** Packages of programs with another name. */
const owners: Readonly<Record<string, readonly string[]>> = {
  tsc: ['typescript'],
  rw: ['@redwoodjs/core'],
  nest: ['@nestjs/cli'],
  ng: ['@angular/cli'],
  fastify: ['fastify-cli'],
  dotenv: ['dotenv-cli'],
  dotenvx: ['@dotenvx/dotenvx'],
  'babel-node': ['@babel/node'],
  'react-router-serve': ['@react-router/serve'],
  'remix-serve': ['@remix-run/serve'],
  'typeorm-ts-node-commonjs': ['ts-node'],
  'typeorm-ts-node-esm': ['ts-node'],
  sequelize: ['sequelize-cli'],
  'mikro-orm': ['@mikro-orm/cli'],
  'mikro-orm-esm': ['@mikro-orm/cli'],
  'run-p': ['npm-run-all', 'npm-run-all2'],
  'run-s': ['npm-run-all', 'npm-run-all2'],
};

/** Programs that load their configuration through one of the loaders if it is written in TypeScript. */
const configurations: Readonly<Record<string, readonly string[]>> = {
  knex: ['knexfile.ts'],
  'mikro-orm': ['mikro-orm.config.ts', 'src/mikro-orm.config.ts'],
};
const loaders = ['ts-node', 'tsx', '@swc-node/register', '@swc/register', 'esbuild-register', 'jiti'];

/**
 * True if a command, or a script that it runs, uses a program or module of a development dependency: `tsx x.ts`, `node --import tsx`,
 * `node_modules/.bin/prisma`; or gives a file of TypeScript to a program that needs one to read it. Node reads such files itself.
 * @param json of the package, with the development dependencies of its workspace's root
 * @param hasFile true for a file of the package
 */
export function needsDevelopment(
  command: string,
  json: PackageJson,
  hasFile: (path: string) => boolean = () => false,
): boolean {
  const isDevelopment = (name: string) => name in json.devDependencies && !(name in json.dependencies);
  const hasLoader = loaders.some(isDevelopment);
  return withCalledScripts(command, json.scripts)
    .flatMap((text) => text.split(/[;&|]+/))
    .some((call) => {
      const words = call.trim().split(/[\s=]+/);
      const names = words.map(programOf);
      const readsTypeScript =
        (words[0] !== 'node' && words.some((word) => /\.[cm]?ts$/.test(word))) ||
        names.some((name) => Object.hasOwn(configurations, name) && configurations[name]?.some(hasFile));
      const packages = names.flatMap((name) => (Object.hasOwn(owners, name) ? (owners[name] ?? []) : [name]));
      return packages.some(isDevelopment) || (hasLoader && readsTypeScript);
    });
}

/** `drizzle-kit` for `drizzle-kit@1`, `node_modules/.bin/drizzle-kit` and `./node_modules/drizzle-kit/bin.cjs`. */
function programOf(word: string): string {
  const path = word.replace(/^.*\bnode_modules\/(?:\.bin\/)?/, '');
  const name = path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
  return name.replace(/(.)@.*$/, '$1');
}
