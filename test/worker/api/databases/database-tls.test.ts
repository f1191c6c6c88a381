/**
 * TLS of databases, with a host that answers as told.
 * @module-tag slow
 */
import { afterEach, expect, test } from 'vitest';
import { protocolVersion, type RunnerFrameOf } from '../../../../protocol/frames.ts';
import type { DatabaseTlsAnswer } from '../../../../protocol/host-request.ts';
import {
  createClient,
  insertKey,
  type Json,
  operatorToken,
  type Reply,
} from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey({ access: 'read' });
const set = (body: Json) => call('PATCH', '/api/system/settings', { token: operatorToken, body });

afterEach(() => set({ publicIp: null }));

type Outcome = RunnerFrameOf<'response'>['outcome'];

const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const offered: DatabaseTlsAnswer = { active: true, authority: pem };

const addDatabase = (host: TestHost, fields: Json = {}) =>
  host.addService({
    kind: 'database',
    repoUrl: 'database',
    repoFullName: 'database:postgres',
    generatedHostname: null,
    lastDeployedAt: 1,
    status: 'active',
    ...fields,
  });

async function connected(fields: Json = {}) {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  return { host, runner, service: await addDatabase(host, fields) };
}

const get = (serviceId: string, path: '' | '/ca' = '') =>
  call('GET', `/api/services/${serviceId}/database/tls${path}`, { token });

/** What the API makes of a host's answer. */
async function played(outcome: Outcome, path: '' | '/ca' = '', fields: Json = {}): Promise<Reply> {
  const { runner, service } = await connected(fields);
  const sent = get(service.id, path);
  const { id, ask } = await runner.next('request');
  expect(ask).toEqual({ op: 'database-tls', serviceId: service.id });
  runner.send({ v: protocolVersion, type: 'response', id, outcome });
  return await sent;
}

const shown = async (fields: Json) => (await played({ ok: true, value: offered }, '', fields)).body;

test.each(['postgres', 'timescale'])(
  "the host's TLS facts are shown for a database of %s",
  async (engine) => {
    const fields = { repoFullName: `database:${engine}`, hostPort: 45_678 };
    expect(await shown(fields)).toEqual({
      tls: { active: true, caCertAvailable: true, publicHostname: '', publicPort: 45_678 },
    });
  },
);

test("the host's TLS facts may be that the database is stopped or has no certificate", async () => {
  const stopped = await played({ ok: true, value: { active: false, authority: pem } });
  expect(stopped.body.tls).toMatchObject({ active: false, caCertAvailable: true });
  const none = await played({ ok: true, value: { active: false, authority: null } });
  expect(none.body.tls).toMatchObject({ active: false, caCertAvailable: false });
});

test('a public database is found at its public host name, else at the public address that is known of its host', async () => {
  const host = (fields: Json) => shown({ databasePublicEnabled: true, ...fields });
  expect((await host({ databasePublicHostname: 'db.example.com' })).tls.publicHostname).toBe(
    'db.example.com',
  );
  expect((await host({})).tls.publicHostname).toBe('203.0.113.7');
  await set({ publicIp: '198.51.100.2' });
  expect((await host({})).tls.publicHostname).toBe('198.51.100.2');
  expect((await shown({ databasePublicHostname: 'db.example.com' })).tls.publicHostname).toBe('');
});

test('the CA is a file in PEM, named after the service, byte for byte as the host has it', async () => {
  const reply = await played({ ok: true, value: offered }, '/ca', { slug: 'main-db' });
  expect([reply.status, reply.text]).toEqual([200, pem]);
  expect(reply.headers.get('content-type')).toBe('application/x-pem-file');
  expect(reply.headers.get('content-disposition')).toBe('attachment; filename="main-db-ca.pem"');
});

test('a database without a certificate that was never deployed says so without its host', async () => {
  const service = await addDatabase(await newHost(), { lastDeployedAt: null, status: 'idle' });
  expect((await get(service.id)).body.tls).toMatchObject({ active: false, caCertAvailable: false });
  const reply = await get(service.id, '/ca');
  expect([reply.status, reply.body.code]).toEqual([409, 'conflict']);
  expect(reply.body.error).toContain(`POST /api/services/${service.id}/deployments to create one`);
});

test('a database without a certificate has no CA to be downloaded', async () => {
  const reply = await played({ ok: true, value: { active: false, authority: null } }, '/ca');
  expect([reply.status, reply.body.code]).toEqual([409, 'conflict']);
});

const both = ['', '/ca'] as const;

test.each(['mysql', 'redis', 'mongodb', 'clickhouse'])(
  '%s has no TLS and is 400, whatever its state',
  async (engine) => {
    const service = await addDatabase(await newHost(), { repoFullName: `database:${engine}` });
    for (const path of both) {
      const reply = await get(service.id, path);
      expect([reply.status, reply.body.code]).toEqual([400, 'unsupported']);
      expect(reply.body.error).toContain(
        `is a ${engine} database: only postgres and timescale databases offer TLS`,
      );
    }
  },
);

test('a service that is not a database is 400', async () => {
  const service = await (await newHost()).addService({});
  for (const path of both) {
    const reply = await get(service.id, path);
    expect([reply.status, reply.body.code]).toEqual([400, 'unsupported']);
    expect(reply.body.error).toContain('is not a database');
  }
});

test('a host that is away is 503 with what to do', async () => {
  const service = await addDatabase(await newHost());
  for (const path of both) {
    const reply = await get(service.id, path);
    expect([reply.status, reply.body.code]).toEqual([503, 'runner_offline']);
    expect(reply.body.error).toMatch(/not connected.*start its runner/);
  }
});

test.each<[string, Outcome, RegExp]>([
  [
    'can look at nothing',
    { ok: false, code: 'internal', message: 'Docker is not available' },
    /Docker is not/,
  ],
  ['is of another version', { ok: true, value: { active: 'yes' } }, /different version: update the runner/],
])('a host that %s is 503 with the reason', async (_, outcome, sentence) => {
  for (const path of both) {
    const reply = await played(outcome, path);
    expect([reply.status, reply.body.code]).toEqual([503, 'unavailable']);
    expect(reply.body.error).toMatch(sentence);
  }
});

test('a deployment sends the host the names by which outside clients reach the database', async () => {
  const { token: writeToken } = await insertKey();
  await set({ publicIp: '198.51.100.2' });
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const namesOf = async (databasePublicHostname: string | null) => {
    const body = {
      name: 'db',
      repoUrl: 'database',
      repoFullName: 'database:postgres',
      branch: 'main',
      env: [],
      runnerId: host.runnerId,
      databasePublicHostname,
    };
    const made = await call('POST', `/api/projects/${host.project.id}/services`, { token: writeToken, body });
    const path = `/api/services/${made.body.service.id}/deployments`;
    expect((await call('POST', path, { token: writeToken })).status).toBe(200);
    const { source } = (await runner.nextDeployment()).spec;
    return source.type === 'database' ? source.publicNames : undefined;
  };
  expect(await namesOf('db.example.com')).toEqual(['db.example.com', '198.51.100.2']);
  await set({ publicIp: null });
  expect(await namesOf(null)).toEqual([]);
});
