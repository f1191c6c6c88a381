/** Helpers with which providers write their plans. */
import { posix } from 'node:path';
import type { BuildStep, RunOutput, SiteOutput } from './build-plan.ts';
import type { ProjectFiles } from './project-files.ts';
import { AnalyzerError, type BuildOverrides } from './provider.ts';

export const run = (command: string, caches: string[] = []): BuildStep => ({ type: 'run', command, caches });
export const copy = (paths: string[]): BuildStep => ({ type: 'copy', paths });
export const copyAll = copy(['.']);
export const env = (values: Record<string, string>): BuildStep => ({ type: 'env', values });

export const present = (files: ProjectFiles, paths: readonly string[]) =>
  paths.filter((path) => files.has(path));

/**
 * Manifests, install, source: with this order a change of the source keeps the install's layer. The user's own command may read any file,
 * so it runs after the source is copied.
 * @param own the steps of the provider's install; empty when there is nothing to install
 */
export function install(
  manifests: string[],
  own: BuildStep[],
  { installCommand }: BuildOverrides,
): BuildStep[] {
  if (installCommand) return [copyAll, run(installCommand)];
  return own.length > 0 && manifests.length > 0 ? [copy(manifests), ...own, copyAll] : [copyAll, ...own];
}

/** The user's own command, or else the provider's. */
export const build = (own: BuildStep[], { buildCommand }: BuildOverrides): BuildStep[] =>
  buildCommand ? [run(buildCommand)] : own;

/** The user's commands, run in the service root where the whole repository is the source. @param at `cd <directory> && `, or empty */
export const placed = (overrides: BuildOverrides, at: string): BuildOverrides => ({
  ...overrides,
  installCommand: overrides.installCommand && `${at}${overrides.installCommand}`,
  buildCommand: overrides.buildCommand && `${at}${overrides.buildCommand}`,
});

/** A static output set by the user is served instead of a program. */
export const served = (
  output: RunOutput | (() => RunOutput),
  { staticOutput, runtimeMode, env: variables }: BuildOverrides,
): RunOutput | SiteOutput => {
  if (staticOutput) return { type: 'site', directory: staticOutput, spa: variables.SPA_FALLBACK === 'true' };
  if (runtimeMode === 'static') {
    throw new AnalyzerError(
      'The service is a static site: set staticOutput to the directory that the build writes.',
    );
  }
  return typeof output === 'function' ? output() : output;
};

/** Debian packages that a language's libraries need for building and running, by library name. */
export type NativePackages = Readonly<Record<string, { build: string[]; run: string[] }>>;

/** The packages of the libraries that the project uses, each once. */
export function nativePackages(table: NativePackages, isUsed: (library: string) => boolean) {
  const used = Object.entries(table).flatMap(([library, packages]) => (isUsed(library) ? [packages] : []));
  const unique = (lists: string[][]) => [...new Set(lists.flat())];
  return { build: unique(used.map((one) => one.build)), run: unique(used.map((one) => one.run)) };
}

/** Directories at or below the service root that may contain a separate project, the root first. */
export const directoriesBelow = (files: ProjectFiles, depth: number, at = '.'): string[] => [
  at,
  ...(depth === 0
    ? []
    : files
        .list(at)
        .filter((name) => name.endsWith('/') && !/^(\.|node_modules\/|vendor\/|venv\/)/.test(name))
        .flatMap((name) => directoriesBelow(files, depth - 1, posix.join(at, name.slice(0, -1))))),
];
