/** Files that the runner reads from containers, which belong to tenants. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { putFiles, readContainerFile } from '../../../runner/docker/container-files.ts';
import { copyFiles } from '../../../runner/docker/copy-container.ts';
import { type TestHost, testHost } from '../../support/docker/docker-host.ts';
import { createLiveContainer } from '../../support/docker/live-container.ts';

let host: TestHost;
beforeAll(async () => {
  host = await testHost();
});
afterAll(() => host?.remove());

/** A container that has put a file of 2 GB, of which no byte is stored, in the place of a small one. */
async function containerWithLargeFile() {
  const { container } = await createLiveContainer(
    host.docker,
    "require('node:fs').rmSync('/etc/passwd'); const file = require('node:fs').openSync('/etc/passwd', 'w'); require('node:fs').ftruncateSync(file, 2 * 2 ** 30)",
  );
  await container.start();
  await container.wait();
  return container.id;
}

test('a file larger than 1 MB in the place of a small one is neither read nor copied', async () => {
  const [large, other] = [await containerWithLargeFile(), await containerWithLargeFile()];
  const refusal = {
    code: 'start_failed',
    message: expect.stringContaining('passwd in the container is larger than 1 MB'),
  };
  await expect(readContainerFile(host.docker, large, '/etc/passwd')).rejects.toMatchObject(refusal);
  await expect(copyFiles(host.docker, large, other, ['/etc/passwd'])).rejects.toMatchObject(refusal);
});

test('a small file is read and copied with its owner and mode', async () => {
  const [from, to] = [await createLiveContainer(host.docker, ''), await createLiveContainer(host.docker, '')];
  const file = { text: 'secret', owner: { uid: 33, gid: 33 }, mode: 0o600 };
  await putFiles(host.docker, from.container.id, { '/srv/key': file });
  await copyFiles(host.docker, from.container.id, to.container.id, ['/srv/key', '/srv/none']);
  expect(await readContainerFile(host.docker, to.container.id, '/srv/key')).toBe('secret');
  expect(await readContainerFile(host.docker, to.container.id, '/srv/none')).toBeUndefined();
});
