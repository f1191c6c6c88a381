import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { buildDashboard } from '../../dashboard/build.ts';
import { temporaryDirectory } from '../support/runner/temporary.ts';

afterEach(() => vi.unstubAllEnvs());

test('the dashboard is built of production code whatever NODE_ENV says', {
  tags: 'slow',
  timeout: 180_000,
}, async () => {
  const directory = await temporaryDirectory();
  const production = await filesOf('production', directory);
  expect(production.length).toBeGreaterThan(20);
  expect(await filesOf('development', directory)).toEqual(production);
});

/** Paths and bytes of what is built. */
async function filesOf(environment: string, directory: string): Promise<string[]> {
  vi.stubEnv('NODE_ENV', environment);
  const target = join(directory, environment);
  await buildDashboard(target);
  const entries = await readdir(target, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.sort().map(async (path) => `${path.slice(target.length)} ${(await readFile(path)).length}`),
  );
}
