/** Questions in a real terminal, tmux: what somebody sees and types, from login to the answer of a question. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../cli/bundle.ts';

const run = promisify(execFile);

const installLimitMs = 60_000;
let isInstalled = false;
beforeAll(async () => {
  isInstalled = await hasTmux();
}, 2 * installLimitMs);

/** Whether tmux is there, installed by apt if need be. */
async function hasTmux(): Promise<boolean> {
  const version = () =>
    run('tmux', ['-V']).then(
      () => true,
      () => false,
    );
  if (await version()) return true;
  const install = ['install', '-y', '--no-install-recommends', 'tmux'];
  await run('apt-get', install, { timeout: installLimitMs }).catch(() => undefined);
  return version();
}

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

/** A terminal of 100 columns with a shell that has the program as `longshore`. */
async function terminal() {
  const directory = await mkdtemp(join(tmpdir(), 'longshore-tmux-'));
  const program = await bundle(join(directory, 'longshore.mjs'));
  const profile = join(directory, 'profile');
  await writeFile(
    profile,
    `longshore() { '${process.execPath}' '${program}' "$@"; echo "ended with $?"; }\nexport LONGSHORE_CONFIG_DIR='${directory}'\nPS1='ready> '\n`,
  );
  const socket = join(directory, 'tmux');
  const tmux = (...args: string[]) => run('tmux', ['-S', socket, '-f', '/dev/null', ...args]);
  await tmux('new-session', '-d', '-x', '100', '-y', '40', 'bash', '--noprofile', '--rcfile', profile);
  onTestFinished(async () => {
    await tmux('kill-server').catch(() => undefined);
    await rm(directory, { recursive: true, force: true });
  });
  const screen = async () => (await tmux('capture-pane', '-p', '-S', '-100')).stdout;
  return {
    screen,
    type: (text: string) => tmux('send-keys', '-l', text),
    press: (key: string) => tmux('send-keys', key),
    sees: (text: string) => expect.poll(screen, { timeout: 15_000 }).toContain(text),
  };
}

test('login and a question are answered in a terminal: the key is not shown, no changes nothing, and yes does it', async ({
  skip,
}) => {
  if (!isInstalled) skip('tmux is missing and apt cannot install it: apt-get install tmux');
  const { url, revoked } = await controlPlane();
  const { screen, type, press, sees } = await terminal();
  const command = async (text: string) => {
    await type(text);
    await press('Enter');
  };
  await sees('ready>');
  await command('longshore login');
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
