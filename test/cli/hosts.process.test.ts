/** Hosts by name: where a new service goes, where the others are. The bundled program against a server that plays the control plane. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../cli/bundle.ts';

let folder: string;
let program: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-cli-'));
  program = await bundle(join(folder, 'longshore.mjs'));
});
afterAll(() => rm(folder, { recursive: true }));

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(folder, 'home-'));
});

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

function cli(url: string, ...args: string[]): Promise<Ended> {
  const env = { PATH: process.env.PATH, HOME: home, LONGSHORE_URL: url, LONGSHORE_KEY: 'key' };
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  const child = spawn(process.execPath, [program, ...args], { env, cwd: home, stdio });
  const ended: Ended = { code: null, out: '', err: '' };
  child.stdout.on('data', (text) => {
    ended.out += text;
  });
  child.stderr.on('data', (text) => {
    ended.err += text;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...ended, code })));
}

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const host = (name: string, id = `run_${name}`) => ({
  ...{ id, name, connected: true, takesServices: true, refusal: null, services: 1 },
});
const twoHosts = [host('alpha'), host('beta')];
const service = (slug: string, runnerId: string, fields = {}) => ({
  ...{ id: `svc_${slug}`, slug, name: slug, runnerId, repoUrl: 'container-image', imageRef: 'nginx' },
  ...{ status: 'active', sleep: null, lastDeployedAt: null, primaryUrl: 'https://shop.example', ...fields },
});

/** @returns its address, and the bodies of the services that were created */
async function controlPlane(hosts: object[], services: object[]) {
  const created: unknown[] = [];
  const project = { id: 'prj_1', slug: 'shop', name: 'shop', serviceCount: services.length, services };
  const answer = async (request: IncomingMessage, reply: ServerResponse) => {
    const path = request.url?.split('?')[0];
    const body = await text(request);
    if (path === '/api/projects/prj_1/services') created.push(JSON.parse(body));
    reply.end(
      JSON.stringify({
        ...(path === '/api/hosts' ? { hosts } : {}),
        ...(path === '/api/projects' ? { projects: [project] } : {}),
        ...(path === '/api/system/runners' ? { runners: hosts } : {}),
        ...{ service: service('web', 'run_alpha'), deployment: { id: 'dep_1', status: 'queued' } },
      }),
    );
  };
  const url = await serve((request, reply) => void answer(request, reply).catch(() => reply.destroy()));
  return { url, created };
}

const up = (url: string, ...args: string[]) =>
  cli(url, 'up', '-s', 'shop/web', '--image', 'nginx', '-y', '-d', ...args);

test.each([
  ['name', 'beta'],
  ['id', 'run_beta'],
])(
  'up creates the service on the host that --host names by its %s, and the plan says so',
  async (_, named) => {
    const { url, created } = await controlPlane(twoHosts, []);
    const { code, err } = await up(url, '--host', named);
    expect([code, created], err).toEqual([0, [expect.objectContaining({ runnerId: 'run_beta' })]]);
    expect(err).toContain('+ service web on beta from image nginx');
  },
);

test('up without --host leaves the choice to the control plane; the plan says so where more than one is possible', async () => {
  const two = await controlPlane(twoHosts, []);
  expect((await up(two.url)).err).toContain(
    '+ service web on a host that Longshore chooses from image nginx',
  );
  expect(two.created).toEqual([expect.not.objectContaining({ runnerId: expect.anything() })]);
  const one = await controlPlane([host('alpha')], []);
  expect((await up(one.url)).err).toContain('+ service web from image nginx');
});

test('init keeps the host for the up that creates the service, and no longer', async () => {
  const { url, created } = await controlPlane(twoHosts, []);
  expect((await cli(url, 'init', 'shop/web', '--host', 'beta')).code).toBe(0);
  const link = async () => JSON.parse(await readFile(join(home, '.longshore.json'), 'utf8'));
  expect(await link()).toEqual({ project: 'shop', service: 'web', host: 'beta' });
  expect((await cli(url, 'up', '--image', 'nginx', '-y', '-d')).code).toBe(0);
  expect(created).toEqual([expect.objectContaining({ runnerId: 'run_beta' })]);
  expect(await link()).toEqual({ project: 'shop', service: 'web', host: 'beta' });
  const moved = await controlPlane(twoHosts, [service('web', 'run_alpha')]);
  const { code, err } = await cli(moved.url, 'up', '--image', 'nginx', '-y', '-d');
  expect([code, moved.created], err).toEqual([0, []]);
  expect(err).toContain('  service web on alpha\n');
});

test('a host that is not there, or whose name two have, is wrong usage that names the hosts', async () => {
  const { url, created } = await controlPlane(twoHosts, []);
  for (const args of [
    ['up', '-s', 'shop/web', '--image', 'nginx', '-y', '-d', '--host', 'nowhere'],
    ['db', 'create', 'db', '-p', 'shop', '-e', 'redis', '-d', '--host', 'nowhere'],
    ['volumes', 'move', 'nowhere', '-s', 'web', '-y'],
  ]) {
    const own = args[0] === 'volumes' ? await controlPlane(twoHosts, [service('web', 'run_alpha')]) : { url };
    const { code, err } = await cli(own.url, ...args);
    expect([args[0], code, err]).toEqual([
      ...[args[0], 2],
      expect.stringContaining('There is no host "nowhere". There are: alpha, beta.'),
    ]);
  }
  const twins = await controlPlane([host('alpha', 'run_1'), host('alpha', 'run_2')], []);
  expect(await up(twins.url, '--host', 'alpha')).toMatchObject({
    ...{ code: 2, err: expect.stringContaining('ambiguous. Name one of: run_1, run_2') },
  });
  expect([...created, ...twins.created]).toEqual([]);
});

test('up does not move a service: --host with another host names both, and how to move', async () => {
  const { url } = await controlPlane(twoHosts, [service('web', 'run_alpha')]);
  expect((await up(url, '--host', 'alpha')).code).toBe(0);
  const { code, err } = await up(url, '--host', 'beta');
  expect([code, err]).toEqual([2, expect.stringContaining('shop/web is on the host alpha, not on beta.')]);
  expect(err).toContain('longshore settings set runnerId=run_beta -s shop/web');
  expect(err).toContain('longshore volumes move beta -s shop/web');
});

test('ps has a column for hosts when services are on more than one, and always names them with --json', async () => {
  const both = [service('web', 'run_alpha'), service('api', 'run_beta'), service('old', 'run_gone')];
  const apart = await controlPlane(twoHosts, both);
  const { out } = await cli(apart.url, 'ps');
  const lines = out.split('\n').map((line) => line.split(/\s+/).slice(0, 3));
  expect(lines.slice(0, 4)).toEqual([
    ['SERVICE', 'STATUS', 'HOST'],
    ['shop/web', 'active', 'alpha'],
    ['shop/api', 'active', 'beta'],
    ['shop/old', 'active', 'run_gone'],
  ]);
  const together = await controlPlane(twoHosts, [service('web', 'run_alpha')]);
  expect((await cli(together.url, 'ps')).out).not.toContain('HOST');
  const { services } = JSON.parse((await cli(together.url, 'ps', '--json')).out);
  expect(services).toMatchObject([{ slug: 'web', host: 'alpha' }]);
});

test('hosts list shows how many services each host has', async () => {
  const facts = { version: '1.2.3' };
  const { url } = await controlPlane([{ ...host('alpha'), facts, drained: false, services: 12 }], []);
  const [head, row] = (await cli(url, 'hosts', 'list')).out.split('\n').map((line) => line.split(/\s+/));
  expect(head?.slice(0, 3)).toEqual(['NAME', 'STATE', 'SERVICES']);
  expect(row?.slice(0, 4)).toEqual(['alpha', 'connected', '12', '1.2.3']);
});

test('completion proposes the names of hosts', async () => {
  const { url } = await controlPlane(twoHosts, [service('web', 'run_alpha')]);
  const proposed = async (...words: string[]) =>
    (await cli(url, '__complete', ...words)).out.split('\n').filter((word) => word && !word.startsWith('-'));
  expect(await proposed('up', '--host', '')).toEqual(['alpha', 'beta']);
  expect(await proposed('init', '--host', 'b')).toEqual(['beta']);
  expect(await proposed('volumes', 'move', 'a')).toEqual(['alpha']);
});
