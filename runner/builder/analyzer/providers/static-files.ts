/** Plain files that are served unchanged. */
import { posix } from 'node:path';
import type { BuildStep } from '../build-plan.ts';
import type { ProjectFiles } from '../project-files.ts';
import { AnalyzerError, type BuildOverrides, type Provider } from '../provider.ts';

/** Usual directories of a site's pages; the first one with an index.html is used. */
const places = ['.', 'public', 'dist', 'www', 'site', 'html'];

const pagesOf = (files: ProjectFiles) =>
  rootOf(files) ?? places.find((place) => files.has(posix.join(place, 'index.html')));

/** The line `root: <directory>` of a Staticfile, as in buildpacks; `undefined` without it, or for a directory outside of the service root. */
function rootOf(files: ProjectFiles): string | undefined {
  const line = /^root:[ \t]*(['"]?)([^'"\n\r#]+?)\1[ \t]*(?:#.*)?$/m.exec(files.read('Staticfile') ?? '');
  const root = line?.[2] && posix.normalize(line[2]);
  return root && !root.startsWith('..') && !posix.isAbsolute(root)
    ? root.replace(/\/$/, '') || '.'
    : undefined;
}

/** `pushstate: enabled` of the buildpack, and `index_fallback: true` of Railpack. The variable has precedence. */
const isSpa = (files: ProjectFiles, env: BuildOverrides['env']) =>
  env.SPA_FALLBACK === undefined
    ? /^(?:pushstate:[ \t]*enabled|index_fallback:[ \t]*true)\b/m.test(files.read('Staticfile') ?? '')
    : env.SPA_FALLBACK === 'true';

export const staticFiles: Provider = {
  name: 'static',
  fits: (files) => pagesOf(files) !== undefined,
  plan(files, { staticOutput, buildCommand, runtimeMode, env }) {
    const directory = staticOutput || pagesOf(files) || '.';
    if (runtimeMode === 'worker') {
      throw new AnalyzerError(
        'A worker cannot be built from plain files: no start command was found. Add a Dockerfile or a Procfile.',
      );
    }
    const page = posix.join(directory, 'index.html');
    if (!buildCommand && !files.has(page)) {
      throw new AnalyzerError(
        `There is no ${page} to serve as a static site: check rootDir and staticOutput.`,
      );
    }
    return {
      provider: 'static',
      framework: null,
      notes: [`Static site: serving the files of ${directory === '.' ? 'the service root' : directory}`],
      build: { image: { name: 'debian', version: null }, packages: [], steps: buildSteps(buildCommand) },
      output: { type: 'site', directory, spa: isSpa(files, env) },
      release: null,
    };
  },
};

const buildSteps = (command: string | null): BuildStep[] =>
  command
    ? [
        { type: 'copy', paths: ['.'] },
        { type: 'run', command, caches: [] },
      ]
    : [];
