/** Fault 13 of docs/design/reliability.md as far as it needs no Docker: a daemon that takes every question and answers none. */
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { call, connectDocker } from '../../../runner/docker/client.ts';
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
