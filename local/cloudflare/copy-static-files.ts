import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { StartError } from '../start-error.ts';
import { ensureWorkerBundle } from '../worker-bundle/worker-bundle.ts';

/**
 * Copies the static files of these sources, which are built once for `npm start` and for this command.
 * @returns the name of the release that hosts download
 * @throws StartError `bundle_failed`
 */
export async function copyStaticFiles(projectRoot: string, assets: string): Promise<string> {
  const cache = join(projectRoot, 'node_modules/.cache/longshore');
  const { staticFiles, config } = await ensureWorkerBundle({ projectRoot, cache });
  if (staticFiles === undefined) throw new StartError('bundle_failed', 'The build made no static files.');
  await rm(assets, { recursive: true, force: true });
  await cp(staticFiles, assets, { recursive: true });
  return z.string().parse(config.vars.HOST_RELEASE);
}
