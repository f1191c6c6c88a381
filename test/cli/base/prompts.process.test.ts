/** Questions on a terminal: util-linux' `script` gives the program one. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../../cli/bundle.ts';

test('login asks for the key on a terminal, does not echo it, and stores what was typed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'longshore-terminal-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const program = await bundle(join(directory, 'longshore.mjs'));
  const seen: unknown[] = [];
  const server = createServer((request, reply) => {
    seen.push(request.headers.authorization);
    reply.end(JSON.stringify({ key: { name: 'mine', access: 'write' } }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const command = `stty cols 80 rows 24; exec '${process.execPath}' '${program}' login --key ${url}`;
  const env = { PATH: process.env.PATH, LONGSHORE_CONFIG_DIR: directory, TERM: 'xterm' };
  const child = spawn('script', ['-qec', command, '/dev/null'], { env });
  let screen = '';
  let typed = false;
  child.stdout.on('data', (text) => {
    screen += text;
    if (typed || !screen.includes('API key')) return;
    typed = true;
    child.stdin.write('s3cret-key\r');
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect([code, seen], screen).toEqual([0, ['Bearer s3cret-key']]);
  expect(screen).toContain('Logged in to');
  expect(screen).not.toContain('s3cret');
  const stored = JSON.parse(await readFile(join(directory, 'contexts.json'), 'utf8'));
  expect(stored.contexts.default).toEqual({ url, key: 's3cret-key' });
});
