/** A distribution mends runc under an old version; only the operator knows, and says so for exactly this version. */
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { RunnerFacts } from '../../../../protocol/runner-facts.ts';
import { auditLog } from '../../../../worker/store/schema/audit.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertRunner,
  insertTenant,
  type Json,
  operatorToken,
  testFacts,
} from '../../../support/worker/api.ts';
import { enrolRunner, FakeRunner } from '../../../support/worker/fake-runner.ts';
import { deploy } from '../../../support/worker/host.ts';

const call = createClient();
const mended = '1.1.5+ds1-1+deb12u2';
const facts: RunnerFacts = { ...testFacts, runcVersion: mended, runcFixes: false };
const trust = (runnerId: string, trustedRunc: unknown, more = {}) =>
  call('PATCH', `/api/system/runners/${runnerId}`, {
    token: operatorToken,
    body: { trustedRunc, ...more },
  });
const listed = async (runnerId: string): Promise<Json> =>
  (await call('GET', '/api/system/runners', { token: operatorToken })).body.runners.find(
    (one: Json) => one.id === runnerId,
  );

/** Creates services of a tenant that owns no host. */
async function newStranger(runnerId: string) {
  const tenantId = await insertTenant('stranger');
  const { token } = await insertKey({ tenantId });
  const { id } = await insertProject({ tenantId });
  const body = { name: 'web', repoUrl: 'container-image', imageRef: 'nginx', runnerId };
  return () => call('POST', `/api/projects/${id}/services`, { token, body });
}

test('a host with an old runc that the operator trusts is shared, until it has another runc', async () => {
  const keys = await enrolRunner();
  const { runnerId } = keys;
  const runner = await FakeRunner.connect(keys, { forged: { facts } });
  const shared = await trust(runnerId, mended, { shared: true });
  expect(shared.body.runner).toMatchObject({ shared: true, trustedRunc: mended, warning: null });
  expect(await listed(runnerId)).toMatchObject({ trustedRunc: mended });
  const create = await newStranger(runnerId);
  const { jobId } = await deploy((await create()).body.service);
  expect((await runner.next('start')).job).toBe(jobId);

  runner.send({
    v: 1,
    type: 'facts',
    facts: { ...facts, runcVersion: '1.1.5+ds1-1+deb12u1' },
    sentAt: Date.now(),
  });
  await expect
    .poll(async () => (await listed(runnerId)).warning)
    .toMatch(
      /runc 1\.1\.5\+ds1-1\+deb12u1 lets.*"trustedRunc" is "1\.1\.5\+ds1-1\+deb12u2", another version/,
    );
  expect((await create()).body).toMatchObject({
    code: 'not_isolated',
    error: expect.stringMatching(/lacks runcFixes(?!.*\d\.\d)/),
  });

  runner.send({ v: 1, type: 'facts', facts, sentAt: Date.now() });
  await expect.poll(async () => (await listed(runnerId)).warning).toBeNull();
  const { body } = await trust(runnerId, null);
  expect(body.runner).toMatchObject({ shared: true, trustedRunc: null });
  expect(body.runner.warning).toContain('runcFixes is false');
});

test.each<[string, Partial<RunnerFacts>, string]>([
  ['reports another', {}, `send exactly this`],
  ['reports none', { runcVersion: null, runcFixes: null }, 'start Docker'],
])('a runc is not trusted on a host that %s, and nothing is changed', async (_, change, wayOut) => {
  const { id } = await insertRunner({ facts: { ...facts, ...change } });
  const { status, body } = await trust(id, '1.1.5+ds1', { name: 'renamed', shared: true });
  expect([status, body.code]).toEqual([400, 'invalid_request']);
  expect(body.error).toContain('"trustedRunc" is "1.1.5+ds1"');
  expect(body.error).toContain(wayOut);
  expect(await listed(id)).toMatchObject({ name: 'host', shared: false, trustedRunc: null });
});

test('trust in a runc and its end are in the audit log, once each', async () => {
  const { id } = await insertRunner({ facts });
  for (const trusted of [mended, mended, null, null]) await trust(id, trusted);
  const entries = await deps.db.select().from(auditLog).where(eq(auditLog.resourceId, id));
  expect(entries.flatMap(({ route, actor }) => (route.startsWith('host.') ? [[route, actor]] : []))).toEqual([
    ['host.runc-trusted', 'operator'],
    ['host.runc-untrusted', 'operator'],
  ]);
});
