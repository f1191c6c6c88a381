/** Deno: https://docs.deno.com/runtime/ */
import { posix } from 'node:path';
import type { BuildStep } from '../build-plan.ts';
import type { ProjectFiles } from '../project-files.ts';
import { AnalyzerError, type Provider } from '../provider.ts';
import { readPackage } from './node/package-json.ts';
import { toolsDirectory } from './node/package-manager.ts';

const mainFiles = ['main', 'server', 'index', 'app', 'mod', 'src/main', 'src/server', 'src/index'];
/** Downloaded modules, in /app so that they are copied with it. */
const modules = '/app/.deno';

/** A Node project may have a deno.json for single functions, so the scripts in package.json take precedence. */
function fits(files: ProjectFiles): boolean {
  if (!files.has('deno.json') && !files.has('deno.jsonc') && !files.has('deno.lock')) return false;
  const { scripts = {} } = readPackage(files) ?? {};
  return scripts.start === undefined && scripts.build === undefined;
}

export const deno: Provider = {
  name: 'deno',
  fits,
  plan(files, { installCommand, buildCommand, startCommand, env }) {
    const config = files.read('deno.json') ?? files.read('deno.jsonc') ?? '';
    const task = (name: string) =>
      new RegExp(`"${name}"\\s*:`).test(/"tasks"\s*:\s*\{[^}]*\}/.exec(config)?.[0] ?? '');
    const main = mainFiles
      .flatMap((file) => ['ts', 'tsx', 'js', 'mjs'].map((ending) => `${file}.${ending}`))
      .find(files.has);
    const start =
      startCommand || (task('start') ? 'deno task start' : main && `deno run --allow-all ${main}`);
    if (!start) {
      throw new AnalyzerError('deno.json has no task "start", and there is no main.ts: set startCommand.');
    }
    const image = { name: 'node', version: null };
    const version = env.DENO_VERSION || 'latest';
    const run = (command: string, caches: string[] = []): BuildStep => ({ type: 'run', command, caches });
    const install = installCommand || (main && `deno cache ${main}`);
    const build = buildCommand || (task('build') ? 'deno task build' : null);
    const path = { PATH: `${posix.join(toolsDirectory, 'bin')}:$PATH`, DENO_DIR: modules };
    return {
      provider: 'deno',
      framework: null,
      notes: [`Deno ${version}`, `Starts with: ${start}`],
      build: {
        image,
        packages: [],
        steps: [
          { type: 'env', values: path },
          run(`npm install --global --prefix ${toolsDirectory} --no-audit --no-fund deno@${version}`, [
            '/root/.npm',
          ]),
          { type: 'copy', paths: ['.'] },
          ...(install ? [run(install)] : []),
          ...(build ? [run(build)] : []),
        ],
      },
      output: {
        type: 'run',
        image,
        packages: [],
        copies: [
          { from: toolsDirectory, to: toolsDirectory },
          { from: '/app/', to: '/app/' },
        ],
        env: path,
        start,
      },
      release: null,
    };
  },
};
