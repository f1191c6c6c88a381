/** Questions in a real terminal, tmux: what somebody sees and types, from login to the answer of a question. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../cli/bundle.ts';
import { useTerminal } from '../support/terminal.ts';

const terminal = useTerminal();

/** A control plane with one key, as far as this flow asks. @returns its origin and what it was asked to change */
async function controlPlane() {
  const revoked: string[] = [];
  const key = {
    id: 'key_1',
    name: 'ci',
    prefix: 'ls_ci',
    access: 'write',
    expiresAt: null,
    lastUsedAt: null,
  };
  const server = createServer((request, reply) => {
    if (request.method === 'DELETE') revoked.push(request.url ?? '');
    reply.end(JSON.stringify({ ok: true, key, keys: [key] }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, revoked };
}

test('login and a question are answered in a terminal: the key is not shown, no changes nothing, and yes does it', async ({
  skip,
}) => {
  const { url, revoked } = await controlPlane();
  const home = await mkdtemp(join(tmpdir(), 'longshore-terminal-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const program = await bundle(join(home, 'longshore.mjs'));
  const { screen, command, press, sees } = await terminal.open({ program, home }, skip);
  await command('longshore login --key');
  await sees('URL of the control plane');
  await command(url);
  await sees('API key');
  await command('s3cret-key');
  await sees('Logged in to');
  expect(await screen()).not.toContain('s3cret');
  await command('longshore keys revoke ci');
  await sees('Revoke the key ci (ls_ci)?');
  await press('Enter'); // No is chosen
  await sees('ended with 3');
  expect(revoked).toEqual([]);
  // The first question is still on the screen.
  const questions = async () => (await screen()).split('Revoke the key ci (ls_ci)?').length;
  const before = await questions();
  await command('longshore keys revoke ci');
  await expect.poll(questions, { timeout: 15_000 }).toBeGreaterThan(before);
  await press('y');
  await expect.poll(() => revoked, { timeout: 15_000 }).toEqual(['/api/keys/key_1']);
});
