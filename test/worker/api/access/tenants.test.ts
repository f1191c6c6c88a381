/** Tenants: what the operator does with them, and that quotas hold. */
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { jobs } from '../../../../worker/store/schema/jobs.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  operatorToken,
} from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { deploy, jobRow, newHost } from '../../../support/worker/host.ts';
import { timestamp } from '../../../support/worker/services.ts';

const call = createClient();
const operator = (method: string, path: string, body?: unknown) =>
  call(method, path, { token: operatorToken, ...(body === undefined ? {} : { body }) });
const unlimited = {
  /** A new tenant's; nothing else has a limit at first. */
  projects: 100,
  services: 500,
  domains: 500,
  volumes: 500,
  keptDeletions: 2_000,
  keptDeletionBytes: 100_000_000,
  concurrentBuilds: null,
  memoryMb: null,
  backupBytes: null,
  logBytes: null,
  diskMb: null,
  containerMemoryMb: null,
  containerCpus: null,
  containerPids: null,
  containerOpenFiles: null,
  containerDiskMb: null,
  buildMinutesPerDay: null,
  buildLogBytesPerDay: null,
  logReadersPerKey: null,
};
const unused = {
  projects: 0,
  services: 0,
  domains: 0,
  volumes: 0,
  concurrentBuilds: 0,
  memoryMb: 0,
  backupBytes: 0,
  logBytes: 0,
  diskMb: 0,
  keptDeletions: 0,
  keptDeletionBytes: 0,
  buildMinutesPerDay: 0,
  buildLogBytesPerDay: 0,
};
let names = 0;
const newTenant = async (quotas: unknown = {}) =>
  (await operator('POST', '/api/system/tenants', { name: `tenant ${++names}`, quotas })).body.tenant;
const image = (name: string, more = {}) => ({ name, repoUrl: 'container-image', imageRef: 'nginx', ...more });

/** A tenant with a key, a project of the API's making and a host. */
async function tenantBench(quotas: unknown) {
  const tenant = await newTenant(quotas);
  const { token } = await insertKey({ tenantId: tenant.id });
  const create = (path: string, body: unknown) => call('POST', path, { token, body });
  return { tenant, token, create };
}

test('keys show no tenant as long as there is none but the default one', async () => {
  await insertKey();
  const keys = (await operator('GET', '/api/system/keys')).body.keys;
  expect(keys.some((key: object) => 'tenantId' in key)).toBe(false);
  const body = { name: 'k', access: 'read', projects: 'all' };
  const made = await operator('POST', '/api/system/keys', body);
  expect(made.body.key).not.toHaveProperty('tenantId');
  const tenant = await newTenant();
  const its = await operator('POST', '/api/system/keys', { ...body, tenantId: tenant.id });
  expect(its.body.key.tenantId).toBe(tenant.id);
  const listed = (await operator('GET', '/api/system/keys')).body.keys;
  expect(listed.find(({ id }: { id: string }) => id === made.body.key.id).tenantId).toBe('default');
  const rotated = await operator('POST', `/api/system/keys/${its.body.key.id}/rotate`);
  expect(rotated.body.key.tenantId).toBe(tenant.id);
  expect(
    (await operator('POST', '/api/system/keys', { ...body, tenantId: 'ten_none' })).body.error,
  ).toContain('"tenantId"');
});

test('a tenant is created, listed with what it uses, changed and deleted', async () => {
  const created = await operator('POST', '/api/system/tenants', { name: ' Acme ', quotas: { projects: 2 } });
  const { id } = created.body.tenant;
  expect([created.status, created.body]).toEqual([
    200,
    {
      tenant: {
        id: expect.stringMatching(/^ten_[a-z0-9]{16}$/),
        name: 'Acme',
        quotas: { ...unlimited, projects: 2 },
        usage: unused,
        createdAt: timestamp,
      },
    },
  ]);
  const project = await insertProject({ tenantId: id });
  const runner = await insertRunner({ shared: true });
  await insertService({ projectId: project.id, runnerId: runner.id, memoryLimitMb: 100 });
  await insertService({ projectId: project.id, runnerId: runner.id });
  const { tenants } = (await operator('GET', '/api/system/tenants')).body;
  expect(tenants[0].id).toBe('default');
  expect(tenants.find((tenant: { id: string }) => tenant.id === id).usage).toEqual({
    ...unused,
    projects: 1,
    services: 2,
    memoryMb: 612,
  });
  const path = `/api/system/tenants/${id}`;
  const changed = await operator('PATCH', path, { name: 'Acme 2', quotas: { projects: null, services: 5 } });
  expect(changed.body.tenant).toMatchObject({
    name: 'Acme 2',
    quotas: { ...unlimited, projects: null, services: 5 },
  });
  expect((await operator('PATCH', path, { quotas: { memoryMb: 9 } })).body.tenant.quotas).toMatchObject({
    services: 5,
    memoryMb: 9,
  });
});

test.each([
  ['no name', { quotas: {} }, '"name" is missing'],
  ['a negative quota', { name: 'x', quotas: { projects: -1 } }, '"quotas.projects" must be a whole number'],
  ['half a build', { name: 'x', quotas: { concurrentBuilds: 0.5 } }, '"quotas.concurrentBuilds"'],
  ['an unknown quota', { name: 'x', quotas: { disks: 1 } }, '"quotas.disks" does not exist'],
])('a tenant is refused: %s', async (_, body, sentence) => {
  const reply = await operator('POST', '/api/system/tenants', body);
  expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(sentence)]);
});

test('two tenants cannot have the same name', async () => {
  const { name, id } = await newTenant();
  const other = await newTenant();
  expect((await operator('POST', '/api/system/tenants', { name })).body).toMatchObject({ code: 'conflict' });
  expect((await operator('PATCH', `/api/system/tenants/${other.id}`, { name })).status).toBe(409);
  expect((await operator('PATCH', `/api/system/tenants/${id}`, { name })).status).toBe(200);
});

test('a tenant is deleted only when nothing is left; revoked keys and hosts do not count', async () => {
  const { id } = await newTenant();
  const path = `/api/system/tenants/${id}`;
  const project = await insertProject({ tenantId: id });
  const key = await insertKey({ tenantId: id });
  await operator('POST', '/api/system/runners', { tenantId: id });
  const runner = await insertRunner({ tenantId: id });
  const refused = await operator('DELETE', path);
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringContaining('still has 1 project, 1 key, 1 host'),
  ]);
  await call('DELETE', `/api/projects/${project.id}`, { token: key.token });
  await operator('DELETE', `/api/system/keys/${key.id}`);
  expect((await operator('DELETE', path)).body.error).toContain('1 deletion that can be restored');
  await operator('POST', `/api/system/deleted/${project.id}/purge`);
  expect((await operator('DELETE', path)).body.error).toContain('still has 1 host.');
  await operator('DELETE', `/api/system/runners/${runner.id}`);
  expect((await operator('DELETE', path)).body).toEqual({ ok: true });
  expect((await operator('DELETE', path)).status).toBe(404);
  expect((await operator('DELETE', '/api/system/tenants/default')).status).toBe(409);
});

test('slugs are unique per tenant, host names per instance', async () => {
  await insertRunner({ shared: true });
  const slugs: string[] = [];
  const urls: string[] = [];
  for (const { create } of [await tenantBench({}), await tenantBench({})]) {
    const { project } = (await create('/api/projects', { name: 'Shop', description: '' })).body;
    slugs.push(project.slug);
    urls.push((await create(`/api/projects/${project.id}/services`, image('web'))).body.service.primaryUrl);
  }
  expect(slugs).toEqual(['shop', 'shop']);
  expect(new Set(urls).size).toBe(2);
});

test('only as many simultaneous projects are created as the quota allows', async () => {
  const { create } = await tenantBench({ projects: 3 });
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, n) => create('/api/projects', { name: `p${n}`, description: '' })),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409, 409, 409, 409, 409]);
  const refused = replies.find(({ status }) => status === 409);
  expect(refused?.body).toMatchObject({
    code: 'quota_exceeded',
    error:
      'The quota "projects" allows 3 projects: 3 projects in use, and 1 project more requested. Free some, or ask the operator to raise the quota.',
  });
});

test('only as many simultaneous services are created as the quotas allow, and nothing is left of the others', async () => {
  await insertRunner({ shared: true });
  const { create, tenant, token } = await tenantBench({ services: 4, memoryMb: 1024 });
  const { project } = (await create('/api/projects', { name: 'p', description: '' })).body;
  const path = `/api/projects/${project.id}/services`;
  const wide = await Promise.all(
    Array.from({ length: 6 }, (_, n) => create(path, image(`s${n}`, { env: [{ key: 'A', value: '1' }] }))),
  );
  expect(wide.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409, 409]);
  expect(wide.find(({ status }) => status === 409)?.body.error).toBe(
    'The quota "memoryMb" allows 1024 MB of memory: 1024 MB of memory in use, and 512 MB of memory more requested. Free some, or ask the operator to raise the quota.',
  );
  await operator('PATCH', `/api/system/tenants/${tenant.id}`, { quotas: { memoryMb: null } });
  const more = await Promise.all(Array.from({ length: 4 }, (_, n) => create(path, image(`t${n}`))));
  expect(more.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409]);
  const { body } = await call('GET', `/api/projects/${project.id}`, { token });
  expect(body.project.serviceCount).toBe(4);
});

test('memory that a change asks for is held to the quota; less is always fine', async () => {
  await insertRunner({ shared: true });
  const { create, tenant, token } = await tenantBench({ memoryMb: 600 });
  const { project } = (await create('/api/projects', { name: 'p', description: '' })).body;
  const { service } = (
    await create(`/api/projects/${project.id}/services`, image('web', { memoryLimitMb: 500 }))
  ).body;
  const patch = (body: unknown) => call('PATCH', `/api/services/${service.id}`, { token, body });
  expect((await patch({ memoryLimitMb: 600 })).status).toBe(200);
  const refused = await patch({ memoryLimitMb: 601, branch: 'not-written' });
  expect([refused.status, refused.body.code]).toEqual([409, 'quota_exceeded']);
  await operator('PATCH', `/api/system/tenants/${tenant.id}`, { quotas: { memoryMb: 10 } });
  expect((await patch({ branch: 'dev' })).body.service.branch).toBe('dev');
  expect((await patch({ memoryLimitMb: null })).status).toBe(200);
  expect((await patch({ memoryLimitMb: 550 })).status).toBe(409);
});

test('a service without a limit gets one where its tenant has a ceiling, and none elsewhere', async () => {
  const host = await newHost({ shared: true });
  const runner = await FakeRunner.connect(host.keys);
  const { tenant } = await tenantBench({ memoryMb: 2048 });
  const project = await insertProject({ tenantId: tenant.id });
  await deploy(await host.addService({ projectId: project.id }));
  expect((await runner.next('start')).spec).toMatchObject({ memoryLimitMb: 512 });
  await deploy(await host.addService());
  expect((await runner.next('start')).spec).toMatchObject({ memoryLimitMb: null });
});

test('builds above the quota wait, over all hosts, and others go past them', { tags: 'slow' }, async () => {
  const hosts = [await newHost({ shared: true }), await newHost({ shared: true })];
  const [one, two] = hosts;
  if (!one || !two) throw new Error('no hosts');
  const { tenant } = await tenantBench({ concurrentBuilds: 1 });
  const project = await insertProject({ tenantId: tenant.id });
  const first = await deploy(await one.addService({ projectId: project.id }));
  const waits = await deploy(await one.addService({ projectId: project.id }));
  const elsewhere = await deploy(await two.addService({ projectId: project.id }));
  const other = await deploy(await one.addService());
  const runner = await FakeRunner.connect(one.keys);
  const far = await FakeRunner.connect(two.keys);
  const starts = [await runner.next('start'), await runner.next('start')];
  expect(starts.map(({ job }) => job)).toEqual([first.jobId, other.jobId]);
  expect(await far.unread()).toEqual([]);
  const succeeded = { type: 'result', result: { outcome: 'succeeded', facts: {} } } as const;
  if (starts[0]) await runner.report(starts[0], succeeded);
  const starting = [runner.next('start'), far.next('start')];
  const next = await Promise.race(starting);
  expect([waits.jobId, elsewhere.jobId]).toContain(next.job);
  const active = await deps.db.select().from(jobs).where(eq(jobs.state, 'active'));
  expect(active.filter(({ id }) => id === waits.jobId || id === elsewhere.jobId)).toHaveLength(1);
  await (next.job === waits.jobId ? runner : far).report(next, succeeded);
  const both = await Promise.all(starting);
  expect(both.map(({ job }) => job)).toEqual([waits.jobId, elsewhere.jobId]);
});

test('the next build is of the tenant that has none at work, however many another has queued', async () => {
  const host = await newHost({ shared: true });
  const [alice, bob] = [await tenantBench({}), await tenantBench({})];
  const hers = await insertProject({ tenantId: alice.tenant.id });
  const his = await insertProject({ tenantId: bob.tenant.id });
  for (let count = 0; count < 5; count++) await deploy(await host.addService({ projectId: hers.id }));
  const runner = await FakeRunner.connect(host.keys);
  const first = await runner.next('start');
  await runner.next('start');
  const site = { runtimeMode: 'static', kind: 'image', imageRef: 'nginx' } as const;
  const waiting = await deploy(await host.addService({ projectId: his.id, ...site }));
  expect(await runner.unread()).toEqual([]);
  await runner.report(first, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  expect((await runner.next('start')).job).toBe(waiting.jobId);
});

test('a raised quota starts what has waited for it', async () => {
  const host = await newHost({ shared: true });
  const { tenant } = await tenantBench({ concurrentBuilds: 0 });
  const project = await insertProject({ tenantId: tenant.id });
  const { jobId } = await deploy(await host.addService({ projectId: project.id }));
  const runner = await FakeRunner.connect(host.keys);
  expect([await runner.unread(), (await jobRow(jobId)).state]).toEqual([[], 'queued']);
  await operator('PATCH', `/api/system/tenants/${tenant.id}`, { quotas: { concurrentBuilds: 1 } });
  expect((await runner.next('start')).job).toBe(jobId);
});
