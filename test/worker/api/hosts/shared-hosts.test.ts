/** Which tenants may use a host: its owner, and the others only where the operator shares it and it keeps tenants apart. */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { RunnerFacts } from '../../../../protocol/runner-facts.ts';
import { auditLog } from '../../../../worker/store/schema/audit.ts';
import { runners } from '../../../../worker/store/schema/runners.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  insertTenant,
  type Json,
  operatorToken,
  testFacts,
} from '../../../support/worker/api.ts';
import { insertDeploymentOf } from '../../../support/worker/deployment-rows.ts';
import { enrolRequest, enrolRunner, FakeRunner, newRunnerKeys } from '../../../support/worker/fake-runner.ts';
import { deploy, jobRow, newHost, runnerRow } from '../../../support/worker/host.ts';

const call = createClient();
const operator = (method: string, path: string, body?: unknown) =>
  call(method, path, { token: operatorToken, ...(body === undefined ? {} : { body }) });
const patch = (runnerId: string, body: unknown) => operator('PATCH', `/api/system/runners/${runnerId}`, body);
const listed = async (runnerId: string): Promise<Json> =>
  (await operator('GET', '/api/system/runners')).body.runners.find((one: Json) => one.id === runnerId);

const oldDocker: RunnerFacts = { ...testFacts, dockerVersion: '20.10.24', buildFixes: false };
const oldRunc: RunnerFacts = { ...testFacts, runcVersion: '1.1.5+ds1-1+deb12u2', runcFixes: false };
const noFirewall: RunnerFacts = {
  ...testFacts,
  isolation: {
    firewall: 'missing',
    firewallProblem: 'nft is not installed.',
    userNamespaces: false,
    storageLimits: false,
  },
};

interface Stranger {
  tenantId: string;
  token: string;
  project: Awaited<ReturnType<typeof insertProject>>;
  create(more?: object): Promise<Json>;
}
let names = 0;

/** A tenant other than the default one, with a project. */
async function newStranger(): Promise<Stranger> {
  const tenantId = await insertTenant(`stranger ${++names}`);
  const { token } = await insertKey({ tenantId });
  const project = await insertProject({ tenantId });
  const create = (more = {}) =>
    call('POST', `/api/projects/${project.id}/services`, {
      token,
      body: { name: 'web', repoUrl: 'container-image', imageRef: 'nginx', ...more },
    });
  return { tenantId, token, project, create };
}

/** Services and hosts of the tests before must not take or refuse a service. */
beforeEach(async () => {
  await deps.db.update(runners).set({ revokedAt: 1 });
});

test('a host belongs to the default tenant and is not shared, unless the operator says otherwise', async () => {
  const { runnerId } = await enrolRunner();
  expect(await listed(runnerId)).toMatchObject({ shared: false, warning: null });
  const { tenantId } = await newStranger();
  expect((await listed(runnerId)).tenantId).toBe('default');
  const own = await enrolRunner('own', { tenantId });
  expect(await listed(own.runnerId)).toMatchObject({ tenantId, shared: false });
  for (const reply of [
    await operator('POST', '/api/system/runners', { tenantId: null }),
    await patch(runnerId, { tenantId: null }),
  ]) {
    expect([reply.status, reply.body.error]).toEqual([400, expect.stringMatching(/"tenantId".*"shared"/)]);
  }
});

test("a second tenant's service is refused with the ways out, until a host is shared or its own", async () => {
  const { runnerId } = await enrolRunner();
  const { tenantId, create } = await newStranger();
  const refused = await create();
  expect([refused.status, refused.body.code]).toEqual([409, 'no_runner']);
  for (const way of ['POST /api/system/runners', tenantId, '"shared": true']) {
    expect(refused.body.error).toContain(way);
  }
  // Another tenant's host is like none.
  expect((await create({ runnerId })).body.error).toContain('"runnerId" is not the id of an enrolled host');
  expect((await patch(runnerId, { shared: true })).body.runner).toMatchObject({
    shared: true,
    warning: null,
  });
  expect((await create()).body.service.runnerId).toBe(runnerId);
  const own = await insertRunner({ tenantId });
  const other = await insertProject({ tenantId });
  const { token } = await insertKey({ tenantId });
  const body = { name: 'web', repoUrl: 'container-image', imageRef: 'nginx' };
  const placed = await call('POST', `/api/projects/${other.id}/services`, { token, body });
  expect(placed.body.service.runnerId).toBe(own.id);
});

test.each<[string, RunnerFacts, string[]]>([
  ['an old Docker', oldDocker, ['buildFixes', 'Docker 20.10.24', 'install Docker']],
  [
    'an old runc',
    oldRunc,
    ['runcFixes', 'runc 1.1.5+ds1-1+deb12u2', 'install runc', 'userns-remap', 'trustedRunc'],
  ],
  ['no firewall', noFirewall, ['isolation.firewall', 'nft is not installed.']],
])('a host with %s is not shared, and the refusal names what it lacks', async (_, facts, words) => {
  const { id } = await insertRunner({ facts, name: 'server-1' });
  const { status, body } = await patch(id, { shared: true, name: 'renamed' });
  expect([status, body.code]).toEqual([409, 'not_isolated']);
  for (const word of ['server-1', ...words]) expect(body.error).toContain(word);
  expect(await runnerRow(id)).toMatchObject({ shared: false, name: 'server-1' });
});

test('a shared host whose facts get worse says so, keeps what runs, and accepts nothing new of several tenants', {
  tags: 'slow',
}, async () => {
  const host = await newHost({ shared: true });
  const runner = await FakeRunner.connect(host.keys);
  const { project, create, token } = await newStranger();
  const service = (await create()).body.service;
  const succeeded = { type: 'result', result: { outcome: 'succeeded', facts: {} } } as const;
  const first = await deploy(service);
  await runner.report(await runner.next('start'), succeeded);
  await deploy(service);
  await runner.report(await runner.next('start'), succeeded);

  runner.send({ v: 1, type: 'facts', facts: oldDocker, sentAt: Date.now() });
  await expect.poll(async () => (await listed(host.runnerId)).facts.buildFixes).toBe(false);
  expect((await listed(host.runnerId)).warning).toMatch(/does not keep tenants apart.*Docker 20\.10\.24/);
  expect((await call('GET', `/api/services/${service.id}/overview`, { token })).body.service.status).toBe(
    'active',
  );
  for (const reply of [await create(), await create({ runnerId: host.runnerId })]) {
    expect([reply.body.code, reply.body.error]).toEqual([
      'not_isolated',
      expect.stringMatching(/"host".*lacks buildFixes/),
    ]);
  }
  const next = await deploy(service);
  await expect.poll(async () => (await jobRow(next.jobId)).state).toBe('failed');
  expect(await jobRow(next.jobId)).toMatchObject({
    failureCode: 'not_isolated',
    failureMessage: expect.stringContaining('lacks buildFixes'),
  });
  // The owner could reach the stranger's services in the same way.
  const ofOwner = await deploy(await host.addService());
  await expect.poll(async () => (await jobRow(ofOwner.jobId)).failureCode).toBe('not_isolated');
  const back = await call('POST', `/api/deployments/${first.id}/rollback`, { token });
  expect(back.status, back.text).toBe(200);
  expect((await runner.nextDeployment()).spec.source).toMatchObject({ type: 'kept', deploymentId: first.id });

  runner.send({ v: 1, type: 'facts', facts: testFacts, sentAt: Date.now() });
  await expect.poll(async () => (await listed(host.runnerId)).warning).toBeNull();
  expect((await create()).body.service).toMatchObject({ projectId: project.id, runnerId: host.runnerId });
});

test("an upgrade of a database brings no image of a tenant's choice to a host that does not keep tenants apart", async () => {
  const host = await newHost({ shared: true });
  const { token, project } = await newStranger();
  const service = await insertService({
    ...{ projectId: project.id, runnerId: host.runnerId, generatedHostname: null, imageRef: 'postgres:15' },
    ...{ kind: 'database', repoFullName: 'database:postgres', lastDeployedAt: 1, status: 'active' },
  });
  await insertDeploymentOf(service.id, {
    job: { state: 'succeeded', finishedAt: 1 },
    deployment: { status: 'running', finishedAt: 1 },
  });
  const runner = await FakeRunner.connect(host.keys, { forged: { facts: oldDocker, sentAt: Date.now() } });
  const database = `/api/services/${service.id}/database`;
  for (const dryRun of [true, false]) {
    const body = { imageRef: 'registry.example.net/own:99', dryRun };
    expect((await call('POST', `${database}/upgrade`, { token, body })).status).toBe(200);
    const newest = async () => (await call('GET', `${database}/upgrades`, { token })).body.upgrades[0];
    await expect.poll(async () => (await newest()).status).toBe('failed');
    expect((await newest()).error).toContain('does not keep tenants apart, because it lacks buildFixes');
  }
  // A backup runs the image that is there already.
  expect((await call('POST', `${database}/backups`, { token, body: { storage: 'disk' } })).status).toBe(200);
  expect((await runner.next('start')).spec.kind).toBe('backup');
});

test('the owner alone deploys on its host whatever that lacks', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys, { forged: { facts: oldDocker, sentAt: Date.now() } });
  const { jobId } = await deploy(await host.addService());
  expect((await runner.next('start')).job).toBe(jobId);
});

test('a service moves only to a host that its tenant may use', async () => {
  const { tenantId, token, project } = await newStranger();
  const own = await insertRunner({ tenantId });
  const service = await insertService({ projectId: project.id, runnerId: own.id });
  const move = (runnerId: string) =>
    call('PATCH', `/api/services/${service.id}`, { token, body: { runnerId } });
  const closed = await insertRunner();
  expect((await move(closed.id)).status).toBe(400);
  const flawed = await insertRunner({ shared: true, facts: noFirewall, name: 'flawed' });
  expect((await move(flawed.id)).body).toMatchObject({
    code: 'not_isolated',
    error: expect.stringContaining('lacks isolation.firewall'),
  });
  const shared = await insertRunner({ shared: true });
  expect((await move(shared.id)).body.service.runnerId).toBe(shared.id);
});

test('a host with services of several tenants stays shared, whoever owns it', async () => {
  const { id } = await insertRunner({ shared: true, name: 'both' });
  const { tenantId, project } = await newStranger();
  await insertService({ projectId: project.id, runnerId: id });
  const refused = await patch(id, { shared: false });
  expect([refused.status, refused.body.code, refused.body.error]).toEqual([
    409,
    'conflict',
    expect.stringContaining('Services of other tenants are on both'),
  ]);
  expect((await patch(id, { name: 'renamed' })).status).toBe(200);
  expect((await patch(id, { tenantId })).body.runner).toMatchObject({ tenantId, shared: true });
  expect((await patch(id, { shared: false })).body.runner).toMatchObject({ tenantId, shared: false });
  expect((await patch(id, { tenantId: 'default' })).status).toBe(409);
  expect((await patch((await insertRunner()).id, { tenantId: 'ten_none' })).status).toBe(400);
});

test('sharing is in the audit log, on request and at enrolment', async () => {
  const sharingOf = async (id: string) =>
    (await deps.db.select().from(auditLog).where(eq(auditLog.resourceId, id))).flatMap(({ route, actor }) =>
      route.startsWith('host.') ? [[route, actor]] : [],
    );
  const { runnerId } = await enrolRunner();
  await patch(runnerId, { shared: true });
  await patch(runnerId, { shared: true, name: 'same' });
  await patch(runnerId, { shared: false });
  expect(await sharingOf(runnerId)).toEqual([
    ['host.shared', 'operator'],
    ['host.unshared', 'operator'],
  ]);
  const { token } = (await operator('POST', '/api/system/runners', { shared: true })).body;
  const request = enrolRequest(token, await newRunnerKeys());
  const { body } = await call('POST', '/api/runner/enrol', { body: request });
  await call('POST', '/api/runner/enrol', { body: request });
  expect(await sharingOf(body.runnerId)).toEqual([['host.shared', body.runnerId]]);
});

test('facts of a revoked host are not stored', async () => {
  const keys = await enrolRunner();
  const runner = await FakeRunner.connect(keys);
  await deps.db.update(runners).set({ revokedAt: 1 }).where(eq(runners.id, keys.runnerId));
  runner.send({ v: 1, type: 'facts', facts: oldDocker, sentAt: Date.now() });
  await runner.unread();
  expect((await runnerRow(keys.runnerId)).facts).toEqual(testFacts);
});
