/** The ways to serve the result of a build, and the facts from which a framework chooses one. */
import { posix } from 'node:path';
import type { ProjectFiles } from '../../project-files.ts';
import type { PackageJson } from './package-json.ts';

/** The way to serve the result of a build. Paths are relative to the package. */
export type Serving =
  | {
      type: 'site';
      directory: string;
      spa: boolean;
      /** The script `start` can't serve this build. */
      ignoresStart?: boolean;
      /** The page for all paths without a file of their own, in the directory, if its name is not index.html. */
      fallback?: string;
    }
  | {
      type: 'server';
      /** The framework's start command, unless the package has a script `start`. */
      start: string | null;
      /** The reason why nothing can be started, unless the user or the package sets a command. */
      refusal?: string;
      /** `start` has precedence over the package's script `start`. */
      startWins?: boolean;
      /** Everything that the server needs from /app if it needs no node_modules; source and target, relative to the package. */
      outputs?: { from: string; to: string }[];
      /** Runs once in a new image before the traffic moves, if the start command is this one. */
      release?: string;
      /** What the project itself has to change, for the log of the build. */
      note?: string;
      env?: Record<string, string>;
      buildEnv?: Record<string, string>;
      /** The npm package of the program that `start` runs, for a framework that comes without a server of its own. */
      tool?: string;
      /** A package that the framework would otherwise install into the project while it builds. */
      buildPackage?: string;
    };

export interface JavaScriptFramework {
  /** The build command, for tools whose own set-up writes it into another script than `build`. */
  builder?: string;
  /** Shown as the service's `framework`. */
  id: string;
  /** Directories kept between builds, relative to the package. */
  caches?: string[];
  serving(app: FrameworkFacts): Serving;
}

export interface FrameworkFacts {
  json: PackageJson;
  /** Text of the first of these files that the package has. */
  config(...names: string[]): string;
  hasDirectory(path: string): boolean;
  /** The output directory reported by build-info. */
  directory: string;
  /** The service is this package, and not part of a workspace. */
  isAlone: boolean;
}

/** The facts that a framework's `serving` uses. */
export const frameworkFacts = (
  files: ProjectFiles,
  { directory, json, scope }: { directory: string; json: PackageJson; scope: 'service' | 'repository' },
  output: string,
): FrameworkFacts => ({
  json,
  directory: output,
  isAlone: scope === 'service' && directory === '.',
  hasDirectory: (path) => files.list(posix.join(directory, path)).length > 0,
  config: (...names) =>
    names.map((name) => files.read(posix.join(directory, name))).find((text) => text !== undefined) ?? '',
});

/** The name of the script that builds: `build`, unless only another one calls the framework's builder (VitePress writes `docs:build`). */
export function buildScriptName(
  { scripts }: PackageJson,
  { builder }: Pick<JavaScriptFramework, 'builder'>,
): string | undefined {
  const own = builder && Object.keys(scripts).find((name) => scripts[name]?.includes(builder));
  const build = scripts.build ? 'build' : undefined;
  const leadsThere =
    own === undefined || [own, builder].some((call) => call && scripts.build?.includes(call));
  return leadsThere ? build : own;
}

export const buildScript = ({ json }: FrameworkFacts) => json.scripts.build ?? '';
export const start = ({ json }: FrameworkFacts) => json.scripts.start?.trim() ?? '';

export const configs = (name: string) =>
  ['ts', 'mts', 'js', 'mjs', 'cjs'].map((ending) => `${name}.config.${ending}`);

/** The output directory; it may be outside of the package, in another package of its workspace. */
export const outDir = (app: FrameworkFacts) =>
  posix.normalize(/outDir:\s*['"`]\/?([\w./-]+)['"`]/.exec(app.config(...configs('vite')))?.[1] ?? 'dist');

export const everywhere = { HOST: '0.0.0.0' };
export const site =
  (directory?: string, spa = false) =>
  (app: FrameworkFacts): Serving => ({
    type: 'site',
    directory: directory ?? app.directory,
    spa,
  });
export const spa = (directory?: string) => site(directory, true);
export const server =
  (start: string | null, outputs?: string[], more: Partial<Extract<Serving, { type: 'server' }>> = {}) =>
  (): Serving => ({
    type: 'server',
    start,
    env: everywhere,
    ...(outputs ? { outputs: outputs.map((path) => ({ from: path, to: path })) } : {}),
    ...more,
  });
/** Nitro's server, the base of Nuxt, SolidStart, TanStack Start and Analog, only needs its own directory. */
export const nitro = server('node .output/server/index.mjs', ['.output'], { startWins: true });
