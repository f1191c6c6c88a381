/** `longshore domains point`, as a person and as a script run it. The control plane is played. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../../cli/bundle.ts';

let directory: string;
let program: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'longshore-domains-'));
  program = await bundle(join(directory, 'longshore.mjs'));
});
afterAll(() => rm(directory, { recursive: true }));

const held = {
  error:
    'vpn.example.com points to 198.51.100.9, which is no host of this instance. Change the record at the provider, or send "replace": true with a key for all projects.',
  code: 'points_elsewhere',
  requestId: 'r',
};

/** A control plane whose provider has a record of somebody else. @returns its address, and the bodies that it got */
async function played() {
  const bodies: unknown[] = [];
  const service = { id: 'svc_1', slug: 'web', name: 'web' };
  const project = { id: 'prj_1', slug: 'shop', name: 'shop', serviceCount: 1, services: [service] };
  const domain = { id: 'dom_1', hostname: 'vpn.example.com', status: 'pending' };
  const result = { recordType: 'A', targetIp: '203.0.113.7', providerName: 'Cloudflare' };
  const server = createServer((request, reply) => {
    if (!request.url?.endsWith('/dns-records'))
      return void reply.end(JSON.stringify({ projects: [project], service, domains: [domain] }));
    void text(request).then((sent) => {
      const body = JSON.parse(sent);
      bodies.push(body);
      if (body.replace) return void reply.end(JSON.stringify({ ok: true, result, domain }));
      reply.writeHead(409).end(JSON.stringify(held));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function run(url: string, ...args: string[]) {
  const env = { PATH: process.env.PATH, HOME: directory, LONGSHORE_URL: url, LONGSHORE_KEY: 'key' };
  return new Promise<{ code: number; out: string; err: string }>((resolve) =>
    execFile(process.execPath, [program, ...args], { env, cwd: directory }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    ),
  );
}

test('a record of somebody else is not replaced without an answer, and the question names its address', async () => {
  const { url, bodies } = await played();
  const { code, err } = await run(url, 'domains', 'point', 'vpn.example.com', '-s', 'shop/web');
  expect([code, bodies]).toEqual([2, [{}]]);
  expect(err).toContain(
    'vpn.example.com points to 198.51.100.9, which is no host of this instance. Point it to the host of web instead?',
  );
});

test.each(['--replace', '-y'])('%s replaces the record at the chosen provider', async (flag) => {
  const { url, bodies } = await played();
  const line = ['domains', 'point', 'vpn.example.com', '-s', 'shop/web', '--provider', 'cloudflare', flag];
  expect(await run(url, ...line)).toEqual({
    ...{ code: 0, err: '', out: 'vpn.example.com  A  203.0.113.7  at Cloudflare\n' },
  });
  const providerId = 'cloudflare';
  expect(bodies).toEqual([{ providerId }, { providerId, replace: true }]);
});
