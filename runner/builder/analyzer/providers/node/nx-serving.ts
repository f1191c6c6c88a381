/** The output directories of Nx's executors, and how to serve them: https://nx.dev/nx-api */
import { posix } from 'node:path';
import type { ProjectFiles } from '../../project-files.ts';
import { type NxBuild, nxProject } from './nx-project.ts';
import { configs, everywhere, type JavaScriptFramework, type Serving } from './serving.ts';

interface NxServing {
  id: string;
  serving: Serving;
}

/** The way to serve an app of an Nx workspace; `null` if its project.json has too little information, so that the usual rules apply. */
export function nxFramework(root: ProjectFiles, directory: string): JavaScriptFramework | null {
  const project = nxProject(root, directory);
  const found = project && nxServing(root, directory, project.build);
  return found ? { id: found.id, serving: () => found.serving } : null;
}

function nxServing(root: ProjectFiles, directory: string, build: NxBuild | undefined): NxServing | null {
  if (!build?.executor) return inferred(root, directory, build);
  const { executor } = build;
  const output = posix.relative(directory, outputOf(directory, build)) || '.';
  if (/:next\b|next:build/.test(executor)) return next(output);
  if (/angular/.test(executor)) return site('angular', posix.join(output, angularDirectory(build)));
  if (/vite:build/.test(executor)) return site('vite', output);
  if (/(esbuild|js:(tsc|swc)|node:)/.test(executor) || build.options.target === 'node') {
    return server(posix.join(output, mainFile(directory, build)));
  }
  return /(webpack|rspack|rollup)/.test(executor) ? site('nx', output) : null;
}

/** Nx's plugins read the configuration of the bundler. */
function inferred(root: ProjectFiles, directory: string, build: NxBuild | undefined): NxServing | null {
  const config = (name: string) =>
    configs(name)
      .map((file) => root.read(posix.join(directory, file)))
      .find((text) => text !== undefined);
  if (config('next') !== undefined) return next('.');
  const vite = config('vite');
  if (vite !== undefined) {
    return site(
      'vite',
      /outDir:\s*['"`]([\w./-]+)['"`]/.exec(vite)?.[1] ?? declared(directory, build) ?? 'dist',
    );
  }
  const rsbuild = config('rsbuild');
  if (rsbuild !== undefined) return site('rsbuild', declared(directory, build) ?? 'dist');
  const bundler = config('webpack') ?? config('rspack');
  if (bundler === undefined) return null;
  const written = /path:\s*(?:path\.)?(?:join|resolve)\(\s*__dirname,\s*['"`]([\w./-]+)['"`]\s*\)/.exec(
    bundler,
  )?.[1];
  const output = written ?? declared(directory, build) ?? 'dist';
  return /target:\s*['"`]node/.test(bundler) ? server(posix.join(output, 'main.js')) : site('nx', output);
}

/** The field `outputs`, relative to the app. */
const declared = (directory: string, build: NxBuild | undefined) =>
  build?.outputs[0] && posix.relative(directory, outputOf(directory, build));

/** The output directory, relative to the workspace. */
function outputOf(directory: string, { options, outputs }: NxBuild): string {
  const path = options.outputPath;
  const written = typeof path === 'string' ? path : path?.base;
  const text = written ?? outputs.find((one) => !one.includes('{options.')) ?? posix.join('dist', directory);
  return posix.normalize(
    text.replace('{workspaceRoot}/', '').replace('{projectRoot}', directory).replace(/\/$/, ''),
  );
}

/** The builder `application` writes pages into a directory of their own. */
function angularDirectory({ executor, options }: NxBuild): string {
  const { outputPath: path } = options;
  if (typeof path === 'object' && path.browser !== undefined) return path.browser;
  return /:application$/.test(executor) ? 'browser' : '.';
}

/** Bundlers write one file; compilers keep the folders of the source. */
function mainFile(directory: string, { executor, options }: NxBuild): string {
  if (options.outputFileName) return options.outputFileName;
  const main = options.main ?? posix.join(directory, 'src/main.ts');
  const compiled = posix.relative(directory, main).replace(/\.[cm]?tsx?$/, '.js');
  if (/js:(tsc|swc)/.test(executor)) return compiled;
  const own = options.esbuildOptions?.outExtension?.['.js'];
  const isCommonJs =
    executor.includes('esbuild') && options.format?.[0] === 'cjs' && options.format.length === 1;
  return posix.basename(compiled).replace(/\.js$/, own ?? (isCommonJs ? '.cjs' : '.js'));
}

const site = (id: string, directory: string): NxServing => ({
  id,
  serving: { type: 'site', directory, spa: true, ignoresStart: true },
});

const server = (file: string): NxServing => ({
  id: 'nx',
  serving: { type: 'server', start: `node ${file}`, startWins: true, env: everywhere },
});

const next = (directory: string): NxServing => ({
  id: 'nextjs',
  serving: {
    type: 'server',
    start: directory === '.' ? 'next start' : `next start ${directory}`,
    startWins: true,
    env: { HOSTNAME: '0.0.0.0' },
  },
});
