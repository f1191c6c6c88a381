/** The front end of an app in another language: Laravel with Vite, Rails with esbuild, Phoenix with its own directory. */
import { posix } from 'node:path';
import type { BuildStep } from '../build-plan.ts';
import { run } from '../plan-parts.ts';
import { filesBelow, type ProjectFiles } from '../project-files.ts';
import { readPackage } from './node/package-json.ts';
import { packageManager } from './node/package-manager.ts';

/** Node's program and its modules in the official image; npm is a module with a link to it. */
const nodePaths = ['/usr/local/bin/node', '/usr/local/lib/node_modules'];
const npm =
  'ln -sf ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && ln -sf ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx';

interface FrontEndOptions {
  /** The directory of its package.json, relative to the service root. */
  directory?: string;
  /** Runs the script `deploy` or `build`; otherwise the packages are only installed, for a build of the app itself. */
  builds?: boolean;
}

/** Steps after the source is copied; empty without a package.json, or without a script to run. */
export function frontEndSteps(
  files: ProjectFiles,
  { directory = '.', builds = true }: FrontEndOptions = {},
): BuildStep[] {
  const own = filesBelow(files, directory);
  const json = readPackage(own);
  const script = ['deploy', 'build'].find(
    (name) => json?.scripts[name] && (directory !== '.' || name === 'build'),
  );
  if (!json || (builds && !script)) return [];
  const manager = packageManager(own, json);
  const tool = manager.tool ? ` && npm install --global --no-audit --no-fund ${manager.tool}` : '';
  const at = directory === '.' ? '' : `cd ${posix.join('/app', directory)} && `;
  return [
    { type: 'borrow', image: { name: 'node', version: null }, paths: nodePaths },
    run(`${npm}${tool}`, ['/root/.npm']),
    run(`${at}${manager.install}`, manager.caches),
    ...(builds ? [run(`${at}${manager.command} run ${script}`)] : []),
  ];
}
