/** Deno: https://docs.deno.com/runtime/ */
import { posix } from 'node:path';
import { env, run, served } from '../plan-parts.ts';
import type { ProjectFiles } from '../project-files.ts';
import { AnalyzerError, type Provider } from '../provider.ts';
import { denoApp, isDenoScript } from './deno/deno-app.ts';
import { readPackage } from './node/package-json.ts';
import { toolsDirectory } from './node/package-manager.ts';

/** Downloaded modules, in /app so that they are copied with it. */
const modules = '/app/.deno';

/** Also for apps that set a port, or none (8000): https://docs.deno.com/runtime/reference/env_variables/ */
const onPort = 'DENO_SERVE_ADDRESS=tcp:0.0.0.0:$PORT';

/** A Node project may have a deno.json for single functions, so the scripts in package.json take precedence. */
function fits(files: ProjectFiles): boolean {
  if (!files.has('deno.json') && !files.has('deno.jsonc') && !files.has('deno.lock'))
    return isDenoScript(files);
  const { scripts = {} } = readPackage(files) ?? {};
  return scripts.start === undefined && scripts.build === undefined;
}

export const deno: Provider = {
  name: 'deno',
  fits,
  plan(files, overrides) {
    const { installCommand, buildCommand, startCommand, staticOutput, runtimeMode } = overrides;
    const app = denoApp(files);
    const image = { name: 'node', version: null };
    const version = overrides.env.DENO_VERSION || 'latest';
    const install = installCommand || (app.main && `deno cache ${app.main}`);
    const build = buildCommand || app.build;
    const path = { PATH: `${posix.join(toolsDirectory, 'bin')}:$PATH`, DENO_DIR: modules };
    const isSite = app.site !== null && !startCommand && !staticOutput && runtimeMode !== 'worker';
    const start = startCommand || (app.start && `${onPort} ${app.start}`);
    const needsStart = !isSite && !staticOutput && runtimeMode !== 'static';
    if (!start && needsStart) throw new AnalyzerError(`${nothingStarts} set startCommand.`);
    return {
      provider: 'deno',
      framework: app.framework,
      notes: [
        `Deno ${version}`,
        ...(app.framework ? [`Framework: ${app.framework}`] : []),
        ...(needsStart ? [`Starts with: ${start}`] : []),
      ],
      build: {
        image,
        packages: [],
        steps: [
          env(path),
          run(`npm install --global --prefix ${toolsDirectory} --no-audit --no-fund deno@${version}`, [
            '/root/.npm',
          ]),
          { type: 'copy', paths: ['.'] },
          ...(install ? [run(install)] : []),
          ...(build ? [run(build)] : []),
        ],
      },
      output:
        isSite && app.site
          ? { type: 'site', ...app.site }
          : served(
              () => ({
                type: 'run',
                image,
                packages: [],
                copies: [
                  { from: toolsDirectory, to: toolsDirectory },
                  { from: '/app/', to: '/app/' },
                ],
                env: path,
                start: start ?? '',
              }),
              overrides,
            ),
      release: null,
    };
  },
};

const nothingStarts = 'deno.json has no task "start", and there is no main.ts:';
