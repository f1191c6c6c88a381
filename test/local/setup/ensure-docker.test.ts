import { createServer } from 'node:http';
import { join } from 'node:path';
import Docker from 'dockerode';
import { expect, onTestFinished, test } from 'vitest';
import { dockerState } from '../../../local/docker/engine.ts';
import { ensureDocker } from '../../../local/setup/ensure-docker.ts';
import { temporaryDirectory } from '../../support/runner/temporary.ts';

/** A daemon of the test's own behind a socket; `status` 0: it takes the request and never answers. */
async function daemon(status: number) {
  const socketPath = join(await temporaryDirectory(), 'docker.sock');
  const server = createServer((_, response) => {
    if (status !== 0) response.writeHead(status).end('{"message":"the storage driver is broken"}');
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Docker({ socketPath });
}

test('the state of Docker is ready when the daemon answers its ping', async () => {
  expect(await dockerState(await daemon(200))).toEqual({ state: 'ready' });
});

test('the state of Docker is absent without a socket', async () => {
  const docker = new Docker({ socketPath: join(await temporaryDirectory(), 'none.sock') });
  expect(await dockerState(docker)).toMatchObject({ state: 'absent' });
});

test('the state of Docker is broken when the daemon answers with an error, or not at all', async () => {
  expect(await dockerState(await daemon(500))).toMatchObject({
    state: 'broken',
    detail: expect.stringContaining('storage driver'),
  });
  expect(await dockerState(await daemon(0), 50)).toEqual({
    state: 'broken',
    detail: 'no answer within 0.05 s',
  });
});

test('a broken Docker stops the start with one sentence; nothing is installed or started', async () => {
  const said: string[] = [];
  const docker = await daemon(500);
  const ensured = ensureDocker({ docker, say: (line) => said.push(line), logFile: '/dev/null' });
  await expect(ensured).rejects.toMatchObject({ code: 'docker_unavailable', command: 'docker info' });
  expect(said).toEqual([]);
});
