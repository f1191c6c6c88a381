/** Limits of tenants: what hosts receive, what is refused, and that the default tenant notices none of them. */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { JobFacts } from '../../../../protocol/job-report.ts';
import { defaultTenantLimits } from '../../../../worker/domain/tenants/tenant-limits.ts';
import { jobs } from '../../../../worker/store/schema/jobs.ts';
import { storedLogs } from '../../../../worker/store/schema/logs.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { settings } from '../../../../worker/store/schema/settings.ts';
import { tenantDays } from '../../../../worker/store/schema/tenant-days.ts';
import { createClient, deps, insertKey, insertProject, operatorToken } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { deploy, deploymentRow, jobRow, newHost, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
const operator = (method: string, path: string, body?: unknown) =>
  call(method, path, { token: operatorToken, ...(body === undefined ? {} : { body }) });

let host: TestHost;
let runner: FakeRunner;
let names = 0;

beforeEach(async () => {
  await deps.db.delete(settings);
  host = await newHost({ shared: true });
  runner = await FakeRunner.connect(host.keys);
});

async function newTenant(quotas: object = {}) {
  const { tenant } = (await operator('POST', '/api/system/tenants', { name: `limited ${++names}`, quotas }))
    .body;
  const { id: projectId } = await insertProject({ tenantId: tenant.id });
  const { token } = await insertKey({ tenantId: tenant.id });
  const usage = async () =>
    (await operator('GET', '/api/system/tenants')).body.tenants.find(
      (one: { id: string }) => one.id === tenant.id,
    ).usage;
  return { id: tenant.id as string, projectId, token, usage };
}

/** The spec of a deployment of a new service. */
async function specOf(fields: Parameters<TestHost['addService']>[0] = {}) {
  await deploy(await host.addService(fields));
  return (await runner.nextDeployment()).spec;
}

test('containers of a tenant have limits although the service sets none; those of the default tenant have none', async () => {
  const { projectId } = await newTenant();
  expect(await specOf({ projectId })).toMatchObject({
    memoryLimitMb: defaultTenantLimits.containerMemoryMb,
    cpuLimit: defaultTenantLimits.containerCpus,
    limits: {
      pids: defaultTenantLimits.containerPids,
      openFiles: defaultTenantLimits.containerOpenFiles,
      diskMb: defaultTenantLimits.containerDiskMb,
      buildLogBytes: defaultTenantLimits.buildLogBytesPerDay,
    },
  });
  expect(await specOf()).toMatchObject({
    memoryLimitMb: null,
    cpuLimit: null,
    limits: { pids: null, openFiles: null, diskMb: null, buildLogBytes: null },
  });
});

test('the setting changes only the limits that it names, and a quota replaces it for one tenant', async () => {
  const body = { tenantLimits: { containerMemoryMb: 256, containerPids: null } };
  const changed = await operator('PATCH', '/api/system/settings', body);
  expect(changed.body.settings.tenantLimits).toEqual({ ...defaultTenantLimits, ...body.tenantLimits });
  const [plain, special] = [
    await newTenant(),
    await newTenant({ containerMemoryMb: 1024, containerPids: 64 }),
  ];
  expect(await specOf({ projectId: plain.projectId })).toMatchObject({
    memoryLimitMb: 256,
    limits: { pids: null },
  });
  expect(await specOf({ projectId: special.projectId })).toMatchObject({
    memoryLimitMb: 1024,
    limits: { pids: 64 },
  });
});

test('a service that asks for more than its tenant may have is started with less, and its log says so', async () => {
  const { projectId } = await newTenant({ containerMemoryMb: 512, containerCpus: 0.5 });
  const spec = await specOf({ projectId, memoryLimitMb: 100_000, cpuLimit: 64 });
  expect(spec).toMatchObject({ memoryLimitMb: 512, cpuLimit: 0.5 });
  expect(spec.warnings).toEqual([
    '"memoryLimitMb" is 100000, but containers of this tenant get at most 512: the container is started with 512.',
    '"cpuLimit" is 64, but containers of this tenant get at most 0.5: the container is started with 0.5.',
  ]);
});

test.each([
  [
    'settings',
    { tenantLimits: { containerMemoryMb: 1 } },
    '"tenantLimits.containerMemoryMb" must be a whole number',
  ],
  ['settings', { tenantLimits: { disks: 1 } }, '"tenantLimits.disks" does not exist'],
  [
    'tenants',
    { name: 'x', quotas: { containerCpus: 0 } },
    '"quotas.containerCpus" must be a number from 0.1',
  ],
  [
    'tenants',
    { name: 'x', quotas: { logReadersPerKey: 201 } },
    '"quotas.logReadersPerKey" must be a whole number',
  ],
])('a wrong limit in %s is refused with its name: %j', async (path, body, sentence) => {
  const reply = await operator(path === 'settings' ? 'PATCH' : 'POST', `/api/system/${path}`, body);
  expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(sentence)]);
});

/** Runs a deployment that was claimed this long ago. */
async function build(projectId: string, minutes: number, facts: JobFacts = {}, fields: object = {}) {
  const service = await host.addService({ projectId, ...fields });
  await deploy(service);
  const start = await runner.nextDeployment();
  await deps.db
    .update(jobs)
    .set({ claimedAt: Date.now() - minutes * 60_000 })
    .where(eq(jobs.id, start.job));
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts } });
  await expect.poll(async () => (await jobRow(start.job)).state).toBe('succeeded');
  return service;
}

test('builds count their minutes and log bytes for the day; images and the default tenant count none', {
  tags: 'slow',
}, async () => {
  const { projectId, usage } = await newTenant();
  await build(projectId, 10, { logBytes: 1_000 });
  await build(projectId, 3, { logBytes: 20 });
  await build(projectId, 30, { logBytes: 5 }, { kind: 'image', imageRef: 'nginx' });
  expect(await usage()).toMatchObject({ buildMinutesPerDay: 14, buildLogBytesPerDay: 1_025 });
  // The service has become an image while its build ran.
  await build(projectId, 5, { commitSha: 'a'.repeat(40) }, { kind: 'image', imageRef: 'nginx' });
  expect(await usage()).toMatchObject({ buildMinutesPerDay: 19 });
  await build(host.project.id, 10);
  const days = await deps.db.select().from(tenantDays).where(eq(tenantDays.tenantId, 'default'));
  expect(days).toEqual([]);
});

test('a tenant without build minutes can deploy nothing that is built until the next day, but images', async () => {
  const { id, projectId, token } = await newTenant({ buildMinutesPerDay: 10 });
  const built = await build(projectId, 12);
  const refused = await call('POST', `/api/services/${built.id}/deployments`, { token });
  expect([refused.status, refused.body]).toEqual([
    409,
    expect.objectContaining({
      code: 'quota_exceeded',
      error:
        'The quota "buildMinutesPerDay" allows 10 minutes of builds a day, and 13 are used: deploy again after midnight UTC, or ask the operator to raise the quota.',
    }),
  ]);
  // What was queued before, or by a webhook, fails with the same sentence.
  const waiting = await deploy(built);
  await expect.poll(async () => (await deploymentRow(waiting.id)).status).toBe('failed');
  expect((await jobRow(waiting.jobId)).failureMessage).toBe(refused.body.error);
  const image = await host.addService({ projectId, kind: 'image', imageRef: 'nginx' });
  expect((await call('POST', `/api/services/${image.id}/deployments`, { token })).status).toBe(200);
  await runner.nextDeployment();
  await deps.db
    .update(tenantDays)
    .set({ day: Math.floor(Date.now() / 86_400_000) - 1 })
    .where(eq(tenantDays.tenantId, id));
  expect((await call('POST', `/api/services/${built.id}/deployments`, { token })).status).toBe(200);
});

test('the host receives how much of the build logs is left for the day', { tags: 'slow' }, async () => {
  const { projectId } = await newTenant({ buildLogBytesPerDay: 1_000 });
  await build(projectId, 0, { logBytes: 700 });
  expect((await specOf({ projectId })).limits).toMatchObject({ buildLogBytes: 300 });
  await build(projectId, 0, { logBytes: 700 });
  expect((await specOf({ projectId })).limits).toMatchObject({ buildLogBytes: 0 });
});

test('a tenant above its disk quota gets no new services, imports and upgrades; what runs stays', async () => {
  const { projectId, token, usage } = await newTenant({ diskMb: 1_000 });
  const [one, two] = [await host.addService({ projectId }), await host.addService({ projectId })];
  const observed = (serviceId: string, diskMb: number) => ({
    ...{ serviceId, deploymentId: 'dep_x', state: 'running' as const, reachable: true, diskMb },
  });
  runner.send({ v: 1, type: 'observed', services: [observed(one.id, 640), observed(two.id, 384)] });
  await expect.poll(async () => (await usage()).diskMb).toBe(1_024);
  const body = { name: 'web', repoUrl: 'container-image', imageRef: 'nginx' };
  const refused = await call('POST', `/api/projects/${projectId}/services`, { token, body });
  expect([refused.status, refused.body.error]).toEqual([
    409,
    'The quota "diskMb" allows 1000 MB of disk space: 1024 MB of disk space in use. Free some, or ask the operator to raise the quota.',
  ]);
  const database = await host.addService({
    ...{ projectId, kind: 'database', repoFullName: 'database:postgres', lastDeployedAt: 1 },
    imageRef: 'postgres:15',
  });
  const wanted = { sourceUrl: 'postgres://u:p@db.example.com/d', replace: true };
  const importing = `/api/services/${database.id}/database/import/postgres-url`;
  const noImport = await call('POST', importing, { token, body: wanted });
  expect([noImport.status, noImport.body.error]).toEqual([409, refused.body.error]);
  const upgrading = `/api/services/${database.id}/database/upgrade`;
  for (const dryRun of [false, true]) {
    const noUpgrade = await call('POST', upgrading, { token, body: { imageRef: 'postgres:17', dryRun } });
    expect([noUpgrade.status, noUpgrade.body.error]).toEqual([409, refused.body.error]);
  }
  // A later report without a measure keeps the last one.
  const { diskMb: _, ...unmeasured } = observed(one.id, 0);
  runner.send({ v: 1, type: 'observed', services: [{ ...unmeasured, reachable: false }] });
  const row = async () => (await deps.db.select().from(services).where(eq(services.id, one.id)))[0];
  await expect.poll(row).toMatchObject({ reachable: false, diskMb: 640 });
});

test('a build gets the bytes of output that its tenant has left of the day and of its stored logs', async () => {
  const { id: tenantId, projectId } = await newTenant({ buildLogBytesPerDay: 900, logBytes: 1_000 });
  const left = async () => (await specOf({ projectId })).limits?.buildLogBytes;
  const stored = { streamName: 'dep_stored', tenantId, bytes: 250, archivedBytes: 150, endedAt: 0 };
  await deps.db.insert(storedLogs).values(stored);
  expect(await left()).toBe(600);
  await deps.db.update(storedLogs).set({ bytes: 5_000 });
  expect(await left()).toBe(0);
});
