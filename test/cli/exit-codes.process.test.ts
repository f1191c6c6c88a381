/** What a script relies on: the exit codes of `up` and `deploy --wait`, and pipes that close. The control plane is played. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../cli/bundle.ts';

let directory: string;
let program: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'longshore-exit-'));
  program = await bundle(join(directory, 'longshore.mjs'));
});
afterAll(() => rm(directory, { recursive: true }));

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs a line of bash in which `longshore` is the program. */
function bash(line: string, url: string) {
  const env = { PATH: process.env.PATH, HOME: directory, LONGSHORE_URL: url, LONGSHORE_KEY: 'key' };
  const script = `longshore() { '${process.execPath}' '${program}' "$@"; }\n${line}`;
  return new Promise<{ code: number; out: string; err: string }>((resolve) =>
    execFile('bash', ['-c', script], { env, cwd: directory }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    ),
  );
}

/** A service of an image whose deployment ends like this; undefined: it does not end. */
function deploymentThat(status: string | undefined) {
  const service = {
    ...{ id: 'svc_1', slug: 'web', name: 'web', repoUrl: 'container-image', imageRef: 'nginx:1' },
    ...{ primaryUrl: 'http://web.example', lastDeployedAt: '2026-11-24T10:00:00Z' },
  };
  const project = { id: 'prj_1', slug: 'shop', name: 'shop', serviceCount: 1, services: [service] };
  const deployment = {
    id: 'dep_1',
    serviceId: 'svc_1',
    status,
    trigger: 'manual',
    failureMessage: 'It broke.',
  };
  return serve((request, reply) => {
    if (!request.url?.endsWith('/stream'))
      return void reply.end(JSON.stringify({ projects: [project], deployment, service }));
    if (status === undefined) return void reply.write(': waiting\n\n');
    reply.end('event: status\ndata: {"ok":true,"closed":true}\n\n');
  });
}

const up = 'longshore up --image nginx:1 -s shop/web';
const deploy = 'longshore deploy shop/web --wait';

test.each([
  [0, 'running'],
  [0, 'superseded'],
  [1, 'failed'],
  [3, 'aborted'],
])('up and deploy --wait end with %i for a deployment that is %s', async (code, status) => {
  const url = await deploymentThat(status);
  for (const line of [up, deploy]) {
    const ended = await bash(line, url);
    expect(ended.code, `${line}\n${ended.err}`).toBe(code);
    expect(ended.out).toBe(status === 'running' ? 'http://web.example\n' : '');
  }
});

test('up and deploy --wait end with 4 after --timeout, and say how to come back', async () => {
  const url = await deploymentThat(undefined);
  for (const line of [up, deploy]) {
    const { code, out, err } = await bash(`${line} --timeout 1`, url);
    expect([code, out], err).toEqual([4, '']);
    expect(err).toContain('longshore logs -f --deployment dep_1');
  }
});

test('up and deploy --wait end with 2 for wrong usage, and nothing is deployed', async () => {
  const url = await deploymentThat('running');
  for (const line of [
    'longshore up --image nginx:2 -s shop/web',
    'longshore up --image nginx:1 -s shop/new',
    'longshore deploy shop/wbe --wait',
  ]) {
    const { code, err } = await bash(line, url);
    expect([code, err.includes('    at ')], `${line}\n${err}`).toEqual([2, false]);
  }
});

test('a reader that has seen enough ends the command in silence, on both outputs', async () => {
  const services = Array.from({ length: 20_000 }, (_, at) => ({
    ...{ slug: `service-${at}`, imageRef: 'nginx', status: 'active', lastDeployedAt: null, sleep: null },
    primaryUrl: 'https://shop.example',
  }));
  const project = { id: 'prj_1', slug: 'shop', name: 'shop', serviceCount: services.length, services };
  const url = await serve((_, reply) => void reply.end(JSON.stringify({ projects: [project] })));
  for (const line of [
    'longshore ps',
    'longshore ps --json',
    'longshore ps 2>&1',
    'longshore deploy none 2>&1',
  ])
    expect(
      await bash(`set -o pipefail; ${line} | head -c 10 >/dev/null; exit \${PIPESTATUS[0]}`, url),
      line,
    ).toEqual({ code: line.includes('none') ? 2 : 0, out: '', err: '' });
});

test('a key that is not valid says how to log in, and names the variable that goes before', async () => {
  const url = await serve((_, reply) => {
    reply.writeHead(401).end(JSON.stringify({ error: 'The key has expired.', code: 'unauthenticated' }));
  });
  const { code, err } = await bash('longshore ps', url);
  expect([code, err], err).toEqual([1, expect.stringContaining('The key has expired. (unauthenticated)\n')]);
  expect(err).toContain('longshore login');
  expect(err).toContain('LONGSHORE_KEY');
});

test('abort names the deployments to choose from, and aborts the only one that is unfinished', async () => {
  const aborted: unknown[] = [];
  const project = {
    ...{ id: 'prj_1', slug: 'shop', name: 'shop', serviceCount: 1 },
    services: [{ id: 'svc_1', slug: 'web', name: 'web' }],
  };
  let statuses = ['queued', 'building', 'running'];
  const url = await serve((request, reply) => {
    if (request.method === 'POST') aborted.push(request.url);
    const deployments = statuses.map((status) => ({ id: `dep_${status}`, status }));
    reply.end(JSON.stringify({ accepted: true, projects: [project], deployments }));
  });
  const several = await bash('longshore abort web', url);
  expect([several.code, several.err]).toEqual([
    2,
    expect.stringContaining('dep_queued (queued), dep_building (building)'),
  ]);
  expect(aborted).toEqual([]);
  statuses = ['building', 'running'];
  expect(await bash('longshore abort web', url)).toMatchObject({ code: 0, out: 'dep_building\n' });
  expect(aborted).toEqual(['/api/deployments/dep_building/abort']);
});

test('a push that waits for checks is listed with the releases, and ended by abort', async () => {
  const project = {
    ...{ id: 'prj_1', slug: 'shop', name: 'shop', serviceCount: 1 },
    services: [{ id: 'svc_1', slug: 'web', name: 'web' }],
  };
  const commitSha = 'a'.repeat(40);
  const awaitedPush = { commitSha, detail: 'Waits for the check build (queued).' };
  const ended: unknown[] = [];
  const url = await serve((request, reply) => {
    if (request.method === 'DELETE') ended.push(request.url);
    reply.end(JSON.stringify({ ok: true, projects: [project], deployments: [], awaitedPush }));
  });
  const { err } = await bash('longshore releases web', url);
  expect(err).toContain(
    `Push aaaaaaa: Waits for the check build (queued). To deploy it now: longshore deploy web --ref ${commitSha}.`,
  );
  expect(await bash('longshore abort web', url)).toMatchObject({
    ...{ code: 0, out: 'The push aaaaaaa is not deployed.\n' },
  });
  expect(ended).toEqual(['/api/services/svc_1/awaited-push']);
});

test('live lines of replicas begin with the number of the one that printed them, as those that were kept', async () => {
  const createdAt = '2026-11-24T10:00:00.000Z';
  const lines = [1, 2].map((replica) => ({
    id: replica,
    line: `hello ${replica}`,
    stream: 'stdout',
    createdAt,
    replica,
  }));
  const service = {
    ...{ id: 'svc_1', slug: 'web', name: 'web', repoUrl: 'container-image', imageRef: 'nginx:1' },
    ...{ primaryUrl: 'http://web.example', lastDeployedAt: createdAt },
  };
  const project = { id: 'prj_1', slug: 'shop', name: 'shop', serviceCount: 1, services: [service] };
  const deployments = [{ id: 'dep_1', serviceId: 'svc_1', status: 'active' }];
  const url = await serve(({ url: asked = '' }, reply) => {
    if (asked.endsWith('/stream')) reply.end(`event: snapshot\nid: 2\ndata: ${JSON.stringify(lines)}\n\n`);
    else reply.end(JSON.stringify({ projects: [project], deployments, service }));
  });
  const { out, err } = await bash('longshore logs web', url);
  expect([out, err]).toEqual(['[1] hello 1\n[2] hello 2\n', '']);
});

test.each([
  [400, 'invalid_request', 2],
  [409, 'conflict', 1],
  [403, 'forbidden', 1],
])(
  'a value that the control plane refuses is wrong usage, another refusal a failure: %i %s',
  async (status, code, exit) => {
    const service = { id: 'svc_1', slug: 'web', name: 'web' };
    const project = { id: 'prj_1', slug: 'shop', name: 'shop', serviceCount: 1, services: [service] };
    const url = await serve((request, reply) => {
      if (request.method === 'PATCH')
        reply.writeHead(status).end(JSON.stringify({ error: 'The field "x" is wrong.', code }));
      else reply.end(JSON.stringify({ projects: [project], service }));
    });
    expect(await bash('longshore settings set cpuLimit=1 -s web', url)).toMatchObject({ code: exit });
  },
);

test.each([
  ['says how to switch it on where it is off', {}, 'web writes no access log. To switch it on:'],
  ['says nothing where it is on', { accessLog: {} }, ''],
])('an empty access log %s', async (_, rules, said) => {
  const service = { id: 'svc_1', projectId: 'prj_1', slug: 'web', name: 'web', lastDeployedAt: 'then' };
  const project = { id: 'prj_1', slug: 'shop', name: 'shop', serviceCount: 1, services: [service] };
  const deployments = [{ id: 'dep_1', serviceId: 'svc_1', status: 'active' }];
  const url = await serve((_request, reply) => {
    reply.end(JSON.stringify({ projects: [project], deployments, service, rules, logs: [] }));
  });
  const { code, err } = await bash('longshore logs web --source access', url);
  expect([code, err]).toEqual([0, said === '' ? '' : expect.stringContaining(said)]);
});
