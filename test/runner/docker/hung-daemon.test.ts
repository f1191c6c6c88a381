/** Fault 13 of docs/design/reliability.md as far as it needs no Docker: a daemon that takes every question and answers none. */
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pack } from 'tar-stream';
import { expect, onTestFinished, test } from 'vitest';
import { call, connectDocker } from '../../../runner/docker/client.ts';
import { giveToUser } from '../../../runner/docker/volumes.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

async function hungDaemon() {
  const socketPath = join(temporaryDirectory(), 'docker.sock');
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return connectDocker('run_aaaaaaaaaaaaaaaa', { socketPath });
}

test('fault 13: a call that hangs ends at its deadline, as docker_unavailable and with the step in its sentence', async () => {
  const { engine } = await hungDaemon();
  const asked = call('list the containers', () => engine.listContainers(), { timeoutMs: 50 });
  await expect(asked).rejects.toMatchObject({
    code: 'docker_unavailable',
    message: expect.stringContaining('list the containers'),
  });
});

test('fault 13: an abort ends the wait at once, with its own reason', async () => {
  const { engine } = await hungDaemon();
  const controller = new AbortController();
  const asked = call('pull', () => engine.listContainers(), { signal: controller.signal });
  controller.abort(new Error('the user'));
  await expect(asked).rejects.toThrow('the user');
});

/** A daemon whose archives begin with these entries and then neither go on nor end. */
async function stallingDaemon(...names: string[]) {
  const socketPath = join(temporaryDirectory(), 'docker.sock');
  const server = createHttpServer((request, response) => {
    if (!request.url?.includes('/archive'))
      return void response.end(JSON.stringify({ Config: { User: '1000' } }));
    const archive = pack().on('error', () => {});
    if (request.url.includes('passwd')) archive.finalize();
    else for (const name of names) archive.entry({ name, type: 'directory' });
    archive.pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return connectDocker('run_aaaaaaaaaaaaaaaa', { socketPath });
}

test('fault 13: a directory of a new container that does not come ends the wait at its deadline', async () => {
  const given = giveToUser(await stallingDaemon('data'), 'container', '/data', 100);
  await expect(given).rejects.toMatchObject({
    code: 'docker_unavailable',
    message: expect.stringContaining('read a directory of the container'),
  });
});

test('a volume with files is left as it is as soon as its first file is known', async () => {
  await giveToUser(await stallingDaemon('data', 'data/files'), 'container', '/data');
});
