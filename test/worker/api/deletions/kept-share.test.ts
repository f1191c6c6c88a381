/**
 * What is deleted and can still be restored lies on its host, so it counts where tenants and their shares are concerned.
 * @module-tag slow
 */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import type { RunnerFacts } from '../../../../protocol/runner-facts.ts';
import { domains } from '../../../../worker/store/schema/domains.ts';
import {
  deps,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  type Json,
  testFacts,
} from '../../../support/worker/api.ts';
import { call, finishTask, operator } from '../../../support/worker/deletions.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { deploy, jobRow, newHost } from '../../../support/worker/host.ts';

const oldDocker: RunnerFacts = { ...testFacts, dockerVersion: '20.10.24', buildFixes: false };
let names = 0;

/** A tenant with a project and a key. */
async function newTenant(quotas: object = {}) {
  const { tenant } = (await operator('POST', '/tenants', { name: `keeps ${++names}`, quotas })).body;
  const { id: projectId } = await insertProject({ tenantId: tenant.id });
  const { token } = await insertKey({ tenantId: tenant.id });
  const ask = (method: string, path: string, body?: unknown) =>
    call(method, `/api${path}`, { token, ...(body === undefined ? {} : { body }) });
  const usage = async (): Promise<Json> =>
    (await operator('GET', '/tenants')).body.tenants.find((one: Json) => one.id === tenant.id).usage;
  return { projectId, ask, usage };
}

const addDomain = (serviceId: string, id: string) =>
  deps.db.insert(domains).values({
    ...{ id, serviceId, hostname: `${id.replace('_', '-')}.example.com`, status: 'pending' as const },
    ...{ isVerified: false, createdAt: 0, updatedAt: 0 },
  });

test('a host is not reserved for one tenant while it keeps deleted services of another', async () => {
  const { id: runnerId } = await insertRunner({ shared: true });
  const { projectId, ask } = await newTenant();
  const service = await insertService({ projectId, runnerId });
  expect((await ask('DELETE', `/services/${service.id}`)).status).toBe(200);
  const refused = await operator('PATCH', `/runners/${runnerId}`, { shared: false });
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringMatching(/purge deleted ones \(GET \/api\/system\/deleted\)/),
  ]);
  await operator('POST', `/deleted/${service.id}/purge`);
  // The host removes it.
  await env.DB.prepare("update host_tasks set state = 'done' where runner_id = ?").bind(runnerId).run();
  expect((await operator('PATCH', `/runners/${runnerId}`, { shared: false })).body.runner.shared).toBe(false);
});

test('a host that has not yet removed the data of a purged service still counts as used by its tenant', async () => {
  const host = await newHost({ shared: true });
  const runner = await FakeRunner.connect(host.keys, { forged: { facts: oldDocker } });
  const { projectId, ask } = await newTenant();
  const service = await insertService({ projectId, runnerId: host.runnerId, kind: 'database' });
  await runner.disconnect();
  await ask('DELETE', `/services/${service.id}`);
  await operator('POST', `/deleted/${service.id}/purge`);
  const reserve = () => operator('PATCH', `/runners/${host.runnerId}`, { shared: false });
  expect((await reserve()).status).toBe(409);
  const back = await FakeRunner.connect(host.keys, { forged: { facts: oldDocker } });
  const { jobId } = await deploy(await host.addService());
  await expect.poll(async () => (await jobRow(jobId)).failureCode).toBe('not_isolated');
  for (let last = ''; last !== 'remove-volumes'; ) last = (await finishTask(back)).kind;
  await expect.poll(async () => (await reserve()).status).toBe(200);
});

test.each([
  [
    'keptDeletions',
    { keptDeletions: 1 },
    'allows 1 deletion that can be undone, and this would be more: 1 deletion',
  ],
  [
    'keptDeletionBytes',
    { keptDeletionBytes: 3_000 },
    'allows 3000 bytes of deleted rows that can be restored',
  ],
])(
  'a tenant above its quota %s deletes nothing more until something is purged',
  async (_name, quotas, reason) => {
    const { id: runnerId } = await insertRunner({ shared: true });
    const { projectId, ask, usage } = await newTenant(quotas);
    const [first, second, third] = await Promise.all(
      ['1', '2', '3'].map(() => insertService({ projectId, runnerId, buildCommand: 'x'.repeat(1_000) })),
    );
    for (const one of [first]) expect((await ask('DELETE', `/services/${one?.id}`)).status).toBe(200);
    const { keptDeletionBytes } = await usage();
    expect(keptDeletionBytes).toBeGreaterThan(1_000);
    if ('keptDeletionBytes' in quotas) await ask('DELETE', `/services/${third?.id}`);
    const refused = [
      await ask('DELETE', `/services/${second?.id}`),
      await ask('DELETE', `/projects/${projectId}`),
    ];
    for (const { status, body } of refused) {
      expect([status, body.code]).toEqual([409, 'quota_exceeded']);
      expect(body.error).toMatch(/^Nothing was deleted\. /);
      expect(body.error).toContain(reason);
      expect(body.error).toMatch(
        /The oldest is removed at \d{4}-.*: wait, or ask the operator to purge deleted things or to raise the quota\.$/,
      );
    }
    expect((await ask('GET', `/services/${second?.id}/overview`)).status).toBe(200);
    await operator('POST', `/deleted/${first?.id}/purge`);
    expect((await ask('DELETE', `/services/${second?.id}`)).status).toBe(200);
  },
);

test('an instance that keeps nothing refuses no deletion', async () => {
  await operator('PATCH', '/settings', { keepDeletedHours: 0 });
  const { id: runnerId } = await insertRunner({ shared: true });
  const { projectId, ask, usage } = await newTenant({ keptDeletions: 0 });
  const service = await insertService({ projectId, runnerId });
  const reply = await ask('DELETE', `/services/${service.id}`);
  await operator('PATCH', '/settings', { keepDeletedHours: 72 });
  expect([reply.status, (await usage()).keptDeletions]).toEqual([200, 0]);
});

test('the owner of a host that lacks the build fixes builds nothing beside kept data of another tenant', async () => {
  const host = await newHost({ shared: true });
  const runner = await FakeRunner.connect(host.keys, { forged: { facts: oldDocker } });
  const { projectId, ask } = await newTenant();
  const service = await insertService({ projectId, runnerId: host.runnerId, kind: 'database' });
  await runner.disconnect();
  await ask('DELETE', `/services/${service.id}`);
  await FakeRunner.connect(host.keys, { forged: { facts: oldDocker } });
  const { jobId } = await deploy(await host.addService());
  await expect.poll(async () => (await jobRow(jobId)).failureCode).toBe('not_isolated');
});

test('a deleted database counts for the disk quota until it is purged', async () => {
  const { id: runnerId } = await insertRunner({ shared: true });
  const { projectId, ask, usage } = await newTenant({ diskMb: 1_000 });
  const place = { projectId, runnerId };
  const database = await insertService({ ...place, kind: 'database', diskMb: 1_200 });
  const app = await insertService({ ...place, diskMb: 300 });
  for (const { id } of [database, app]) await ask('DELETE', `/services/${id}`);
  expect((await usage()).diskMb).toBe(1_200);
  const body = { name: 'web', repoUrl: 'container-image', imageRef: 'nginx', runnerId };
  expect((await ask('POST', `/projects/${projectId}/services`, body)).body.code).toBe('quota_exceeded');
  await operator('POST', `/deleted/${database.id}/purge`);
  expect((await usage()).diskMb).toBe(0);
});

test('a restore does not take a tenant over its quota of domains', async () => {
  const { id: runnerId } = await insertRunner({ shared: true });
  const { projectId, ask, usage } = await newTenant({ domains: 1 });
  const first = await insertService({ projectId, runnerId });
  await addDomain(first.id, 'dom_keptshare1');
  await ask('DELETE', `/services/${first.id}`);
  const second = await insertService({ projectId, runnerId });
  await addDomain(second.id, 'dom_keptshare2');
  const refused = await ask('POST', `/services/${first.id}/restore`);
  expect([refused.body.code, refused.body.error]).toEqual([
    'quota_exceeded',
    expect.stringContaining(
      'The quota "domains" allows 1 domain: 1 domain in use, and 1 domain more requested',
    ),
  ]);
  await ask('DELETE', `/services/${second.id}`);
  expect((await ask('POST', `/services/${first.id}/restore`)).status).toBe(200);
  expect((await usage()).domains).toBe(1);
});
