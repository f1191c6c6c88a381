/** Paths of workerd and of Miniflare's simulators: in packages, or beside the program in the package `@longshore/server`. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { bundled } from '../../runner/base/bundled.ts';

const require = createRequire(import.meta.url);

/** The simulators, in the package of Miniflare or copied from it. */
export const simulators = () =>
  bundled ? join(import.meta.dirname, 'simulators') : join(dirname(require.resolve('miniflare')), 'workers');

/** The files of the simulators that the configuration embeds. */
export const simulatorFiles = [
  'shared/index.worker.js',
  'shared/zod.worker.js',
  'shared/object-entry.worker.js',
  'd1/entry.worker.js',
  'd1/database.worker.js',
  'r2/bucket.worker.js',
] as const;

/** The program, in the version that the pinned Miniflare depends on. */
export function workerdProgram(): string {
  if (bundled)
    return require.resolve(
      `@cloudflare/workerd-linux-${process.arch === 'arm64' ? 'arm64' : '64'}/bin/workerd`,
    );
  return createRequire(require.resolve('miniflare'))('workerd').default;
}

export type SimulatorFile = (typeof simulatorFiles)[number];
