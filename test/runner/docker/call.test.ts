/** What a call to the daemon gives: streams outlive the call, and the daemon may end at any time. */
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { call } from '../../../runner/docker/client.ts';

test('a stream that breaks before somebody reads it does not end the process', async () => {
  const stream = await call('read a file', async () => new PassThrough());
  stream.destroy(new Error('the daemon has ended'));
  await new Promise((closed) => stream.once('close', closed));
  await expect(stream.toArray()).rejects.toThrow();
});

test('a stream that arrives after the time limit of its call is closed', async () => {
  const late = new PassThrough();
  const asked = call('read a file', () => pause(50, late), { timeoutMs: 10 });
  await expect(asked).rejects.toMatchObject({ code: 'docker_unavailable' });
  await new Promise((closed) => late.once('close', closed));
});
