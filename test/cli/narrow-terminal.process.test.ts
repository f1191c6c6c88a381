/** What a terminal, tmux, shows while somebody waits, in a narrow window, and at Enter and Ctrl-C. The control plane is played. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../cli/bundle.ts';
import { useTerminal } from '../support/terminal.ts';

const terminal = useTerminal();
let home: string;
let program: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'longshore-narrow-'));
  program = await bundle(join(home, 'longshore.mjs'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** A terminal whose commands go to this control plane. */
async function open(answer: RequestListener, skip: (why: string) => void) {
  const server = createServer(answer);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const opened = await terminal.open({ program, home }, skip);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await opened.command(`export LONGSHORE_URL=${url} LONGSHORE_KEY=key; clear`);
  return opened;
}

const service = {
  ...{ id: 'svc_1', slug: 'web', name: 'web', repoUrl: 'container-image', imageRef: 'nginx:1' },
  ...{ status: 'active', sleep: null, lastDeployedAt: null, primaryUrl: 'http://web.example' },
};
const project = { id: 'prj_1', slug: 'shop', name: 'shop', serviceCount: 1, services: [service] };

test('a window of 40 columns shows rows as paragraphs, of which none is cut', async ({ skip }) => {
  const { command, resize, screen, sees } = await open(
    (_, reply) => void reply.end(JSON.stringify({ projects: [project] })),
    skip,
  );
  await resize(40, 30);
  await command('clear; longshore ps');
  await sees('ended with 0');
  expect(await screen()).toContain(
    'shop/web\n  STATUS          active\n  SOURCE          nginx:1\n  DEPLOYED (UTC)  -\n  URL             http://web.example\n',
  );
});

test('Ctrl-C at a question changes nothing and ends with 130, without a stack; so does it where a text is asked', async ({
  skip,
}) => {
  const changed: unknown[] = [];
  const { command, press, screen, sees } = await open((request, reply) => {
    if (request.method !== 'GET') changed.push(request.url);
    reply.end(JSON.stringify({ projects: [project] }));
  }, skip);
  await command('longshore down shop/web');
  await sees('Delete shop/web?');
  await press('C-c');
  await sees('ended with 130');
  await command('unset LONGSHORE_URL LONGSHORE_KEY; longshore login');
  await sees('URL of the control plane');
  await press('C-c');
  await expect
    .poll(async () => (await screen()).split('ended with 130').length - 1, { timeout: 15_000 })
    .toBe(2);
  expect(await screen()).toContain('Cancelled: nothing was changed.');
  expect(await screen()).not.toContain('    at ');
  expect(changed).toEqual([]);
});

test('Enter takes the answer that is marked: up creates what its plan shows', async ({ skip }) => {
  const asked: unknown[] = [];
  const { command, press, sees } = await open((request, reply) => {
    if (request.method === 'GET') return void reply.end(JSON.stringify({ projects: [] }));
    asked.push(request.url);
    reply.writeHead(403).end(JSON.stringify({ error: 'No more projects.', code: 'quota_exceeded' }));
  }, skip);
  await command('longshore up --image nginx:1 -s shop/web');
  await sees('Create and deploy this?');
  expect(asked).toEqual([]);
  await press('Enter');
  await sees('No more projects.');
  expect(asked).toEqual(['/api/projects']);
});

test('a deployment that is followed shows its phase below the log, and at the end where the time went', async ({
  skip,
}) => {
  let stream: ServerResponse | undefined;
  let id = 0;
  const line = (text: string) => {
    id += 1;
    const entry = { id, line: text, stream: 'system', createdAt: '2026-11-24T10:00:00.000Z' };
    stream?.write(`id: ${id}\nevent: log\ndata: ${JSON.stringify(entry)}\n\n`);
  };
  const deployment = { id: 'dep_1', serviceId: 'svc_1', status: 'running', trigger: 'manual' };
  const { command, screen, sees } = await open((request, reply) => {
    if (!request.url?.endsWith('/stream'))
      return void reply.end(JSON.stringify({ projects: [project], deployment, service }));
    stream = reply;
    reply.write(': open\n\n');
  }, skip);
  await command('longshore deploy web --wait');
  await expect.poll(() => stream, { timeout: 15_000 }).toBeDefined();
  await expect.poll(screen, { timeout: 15_000 }).toMatch(/\nqueued {2}\d+ s/);
  line('Pulling nginx:1');
  await expect.poll(screen, { timeout: 15_000 }).toMatch(/Pulling nginx:1\nbuild {2}\d+ s/);
  line('build: done in 12.5 s');
  await expect.poll(screen, { timeout: 15_000 }).toMatch(/build: done in 12.5 s\nstart {2}\d+ s/);
  for (const [name, seconds] of Object.entries({ start: 0.5, health: 2, switch: 0.1, finish: 0.1 }))
    line(`${name}: done in ${seconds.toFixed(1)} s`);
  stream?.end('event: status\ndata: {"ok":true,"closed":true}\n\n');
  await sees('ended with 0');
  const bars = [
    `build   12.5 s  ${'#'.repeat(30)}`,
    'start    0.5 s  #',
    'health   2.0 s  #####',
    'switch   0.1 s  #',
    'finish   0.1 s  #',
  ];
  expect(await screen()).toContain(`${bars.join('\n')}\nhttp://web.example\nended with 0`);
});
