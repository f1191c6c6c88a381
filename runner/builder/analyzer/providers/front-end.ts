/** The front end of an app in another language: Laravel with Vite, Rails with esbuild. */
import type { BuildStep } from '../build-plan.ts';
import { run } from '../plan-parts.ts';
import type { ProjectFiles } from '../project-files.ts';
import { readPackage } from './node/package-json.ts';
import { packageManager } from './node/package-manager.ts';

/** Node's program and its modules in the official image; npm is a module with a link to it. */
const nodePaths = ['/usr/local/bin/node', '/usr/local/lib/node_modules'];
const npm =
  'ln -sf ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && ln -sf ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx';

/** Steps after the source is copied; empty without a package.json that has a script `build`. */
export function frontEndSteps(files: ProjectFiles): BuildStep[] {
  const json = readPackage(files);
  if (!json?.scripts.build) return [];
  const manager = packageManager(files, json);
  const tool = manager.tool ? ` && npm install --global --no-audit --no-fund ${manager.tool}` : '';
  return [
    { type: 'borrow', image: { name: 'node', version: null }, paths: nodePaths },
    run(`${npm}${tool}`, ['/root/.npm']),
    run(manager.install, manager.caches),
    run(`${manager.command} run build`),
  ];
}
