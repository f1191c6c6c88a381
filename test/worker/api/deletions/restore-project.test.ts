/**
 * Projects that are deleted and restored. The hosts are played here.
 * @module-tag slow
 */
import { expect, test } from 'vitest';
import { insertKey, insertProject, type Json } from '../../../support/worker/api.ts';
import { call, liveApp, succeed } from '../../../support/worker/deletions.ts';

test('a restored project has its services again, and its apps start after its databases run', async () => {
  const { ask, host, runner, service, create, ship, remove, deploymentId } = await liveApp();
  const database = await create({ name: 'db', repoUrl: 'database', repoFullName: 'database:postgres' });
  await ship(database);
  const chosen = (await insertKey({ projects: [host.project.id] })).token;
  const { body } = await remove(`/projects/${host.project.id}`, 3);
  expect(body.proxy.detail).toContain(`POST /api/projects/${host.project.id}/restore`);
  expect((await ask('GET', `/projects/${host.project.id}`)).status).toBe(404);
  expect((await ask('POST', `/services/${service.id}/restore`)).status).toBe(404);

  const restored = await call('POST', `/api/projects/${host.project.id}/restore`, { token: chosen });
  expect([restored.status, restored.body.changes]).toEqual([200, []]);
  expect(restored.body.project.services.map(({ id }: Json) => id)).toEqual([service.id, database.id]);
  const first = await runner.next('start');
  expect(first.spec).toMatchObject({ serviceId: database.id, source: { type: 'database' } });
  expect(await runner.unread()).not.toContain('start');
  await succeed(runner, first);
  const second = await runner.next('start');
  expect(second.spec).toMatchObject({ serviceId: service.id, source: { type: 'kept', deploymentId } });
  await succeed(runner, second);
  expect((await call('GET', `/api/projects/${host.project.id}`, { token: chosen })).body.project.status).toBe(
    'active',
  );
});

test('a service that was deleted before its project is restored after it, and the answer lists the changes', async () => {
  const { ask, host, service, remove } = await liveApp();
  await remove(`/services/${service.id}`);
  expect((await ask('DELETE', `/projects/${host.project.id}`)).status).toBe(200);
  const refused = await ask('POST', `/services/${service.id}/restore`);
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringContaining(`restore it first with POST /api/projects/${host.project.id}/restore`),
  ]);
  const project = await ask('POST', `/projects/${host.project.id}/restore`);
  expect(project.body).toMatchObject({ project: { serviceCount: 0 }, changes: [] });
  expect((await ask('POST', `/services/${service.id}/restore`)).status).toBe(200);
});

test('a project whose slug was taken comes back with a number, and the answer names it', async () => {
  const { token } = await insertKey();
  const project = await insertProject({ slug: 'taken' });
  expect((await call('DELETE', `/api/projects/${project.id}`, { token })).status).toBe(200);
  expect((await call('POST', '/api/projects', { token, body: { name: 'Taken' } })).body.project.slug).toBe(
    'taken',
  );
  const { body } = await call('POST', `/api/projects/${project.id}/restore`, { token });
  expect([body.project.slug, body.changes]).toEqual([
    'taken-2',
    [{ serviceId: null, field: 'slug', before: 'taken', after: 'taken-2' }],
  ]);
});

test('a project is kept at least as long as a service that was deleted before it', async () => {
  const { ask, host, service, remove } = await liveApp();
  await remove(`/services/${service.id}`);
  await ask('DELETE', `/projects/${host.project.id}`);
  const { deleted } = (await ask('GET', '/deleted')).body;
  const until = (id: string) => deleted.find((one: Json) => one.id === id).restorableUntil;
  expect(Date.parse(until(host.project.id))).toBeGreaterThanOrEqual(Date.parse(until(service.id)));
});
