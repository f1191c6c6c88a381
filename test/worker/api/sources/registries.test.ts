/** Logins at registries: kept, never shown, and sent with the jobs that pull images. */
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { registries } from '../../../../worker/store/schema/tenants.ts';
import { createClient, deps, insertKey, insertTenant, operatorToken } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();
const post = (body: object, by = token) => call('POST', '/api/registries', { token: by, body });
const login = { host: 'GHCR.io', username: 'ada', password: 'hunter2-secret' };

test('a login is stored sealed, listed without its password, changed and deleted', async () => {
  const { body } = await post(login);
  expect(body.registry).toEqual({
    id: expect.stringMatching(/^reg_/),
    ...{ host: 'ghcr.io', username: 'ada' },
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  const { id } = body.registry;
  expect((await call('GET', '/api/registries', { token })).body).toEqual({ registries: [body.registry] });
  const [row] = await deps.db.select().from(registries).where(eq(registries.id, id));
  expect(JSON.stringify(row)).not.toContain('hunter2');
  const changed = await call('PATCH', `/api/registries/${id}`, { token, body: { username: 'bob' } });
  expect(changed.body.registry).toMatchObject({ id, username: 'bob' });
  expect((await call('DELETE', `/api/registries/${id}`, { token })).body).toEqual({ ok: true });
  expect((await call('GET', '/api/registries', { token })).body).toEqual({ registries: [] });
});

test('a host has one login per tenant, whatever its spelling; other tenants have their own and see none of these', async () => {
  const first = await post({ ...login, host: 'docker.io' });
  const again = await post({ ...login, host: 'index.docker.io' });
  expect([again.status, again.body.error]).toEqual([
    409,
    'There is a login for docker.io: change it with PATCH, or delete it first.',
  ]);
  const tenantId = await insertTenant('other');
  const stranger = (await insertKey({ tenantId })).token;
  expect((await call('GET', '/api/registries', { token: stranger })).body).toEqual({ registries: [] });
  expect((await post({ ...login, host: 'docker.io' }, stranger)).status).toBe(200);
  const { id } = first.body.registry;
  expect((await call('DELETE', `/api/registries/${id}`, { token: stranger })).status).toBe(404);
  await call('DELETE', `/api/registries/${id}`, { token });
});

test.each([
  [{ host: 'https://ghcr.io' }, '"host" must be a host'],
  [{ host: 'ghcr.io/team' }, '"host" must be a host'],
  [{ username: 'a:b' }, '"username" can\'t have ":"'],
  [{ password: '' }, '"password" must not be empty'],
  [{ password: 'a\nb' }, '"password" can\'t have control characters'],
])('a login is refused with a sentence that names the field: %j', async (wrong, sentence) => {
  const reply = await post({ ...login, ...wrong });
  expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(sentence)]);
});

test('each deployment brings the logins of its tenant in its sealed box, and one that is deleted comes with none, not even with a rollback', async () => {
  const { registry } = (await post(login)).body;
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const service = await host.addService({
    repoUrl: 'container-image',
    imageRef: 'ghcr.io/team/app:1',
    kind: 'image',
  });
  const deploy = async (path = `services/${service.id}/deployments`) => {
    const { body } = await call('POST', `/api/${path}`, { token });
    const start = await runner.next('start');
    const box = await runner.openBox(start);
    await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
    return { id: body.deployment.id, box };
  };
  const first = await deploy();
  expect(first.box.registries).toEqual([{ id: registry.id, ...login, host: 'ghcr.io' }]);
  await call('DELETE', `/api/registries/${registry.id}`, { token });
  expect((await deploy()).box.registries).toBeUndefined();
  expect((await deploy(`deployments/${first.id}/rollback`)).box.registries).toBeUndefined();
});

test('a login whose password is lost ends the deployment with the way out', async () => {
  const { registry } = (await post(login)).body;
  await deps.db.update(registries).set({ sealedPassword: 'v1.broken' }).where(eq(registries.id, registry.id));
  const host = await newHost();
  await FakeRunner.connect(host.keys);
  const service = await host.addService();
  const { deployment } = (await call('POST', `/api/services/${service.id}/deployments`, { token })).body;
  const ended = await call('GET', `/api/deployments/${deployment.id}?wait=10`, { token });
  expect(ended.body.deployment.failureMessage).toBe(
    `The login for ghcr.io can't be decrypted: store its password again (PATCH /api/registries/${registry.id}).`,
  );
  await call('DELETE', `/api/registries/${registry.id}`, { token });
});

test('a tenant that is deleted takes its logins along', async () => {
  const tenantId = await insertTenant('leaving');
  const { token: own, id } = await insertKey({ tenantId });
  await post(login, own);
  await call('DELETE', `/api/system/keys/${id}`, { token: operatorToken });
  expect((await call('DELETE', `/api/system/tenants/${tenantId}`, { token: operatorToken })).status).toBe(
    200,
  );
  expect(await deps.db.select().from(registries).where(eq(registries.tenantId, tenantId))).toEqual([]);
});
