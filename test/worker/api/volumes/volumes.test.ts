import { describe, expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import {
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  insertTenant,
} from '../../../support/worker/api.ts';
import {
  call,
  hostTasks,
  hourMs,
  liveApp,
  operator,
  succeed,
  sweepLater,
} from '../../../support/worker/deletions.ts';

const { token } = await insertKey();
const project = await insertProject();
const runner = await insertRunner();
const newService = (fields = {}) => insertService({ projectId: project.id, runnerId: runner.id, ...fields });
const post = (serviceId: string, body: unknown) =>
  call('POST', `/api/services/${serviceId}/volumes`, { token, body });
const data = { name: 'data', mountPath: '/var/lib/app' };

test('a volume is listed, changed and deployed: answers say that versions do not overlap, and the host gets it', async () => {
  const { ask, service, runner: host } = await liveApp();
  const path = `/services/${service.id}`;
  expect((await ask('GET', `${path}/volumes`)).body).toEqual({ volumes: [], switch: 'overlap' });
  const made = (await ask('POST', `${path}/volumes`, { ...data, sizeMb: 64 })).body;
  expect(made).toMatchObject({
    volume: { ...data, serviceId: service.id, sizeMb: 64, usedMb: null },
    switch: 'stop-start',
    detail: expect.stringContaining('its old version stops before the new one starts'),
  });
  const { id } = made.volume;
  const changed = await ask('PATCH', `${path}/volumes/${id}`, { mountPath: '/data', sizeMb: null });
  expect(changed.body.volume).toMatchObject({ id, name: 'data', mountPath: '/data', sizeMb: null });
  expect((await ask('POST', `${path}/deployments`)).body.switch).toBe('stop-start');
  const start = await host.next('start');
  expect((start.spec as DeploySpec).volumes).toEqual([
    { id, name: 'data', mountPath: '/data', sizeMb: null },
  ]);
  await succeed(host, start);
  host.send({
    ...{ v: 1, type: 'observed' },
    services: [
      {
        ...{ serviceId: service.id, deploymentId: (start.spec as DeploySpec).deploymentId },
        ...{ state: 'running', reachable: true, volumes: [{ id, usedMb: 7 }] },
      },
    ],
  });
  const overview = async () => (await ask('GET', `${path}/overview`)).body;
  await expect.poll(async () => (await overview()).volumes).toMatchObject([{ id, usedMb: 7 }]);
  expect((await overview()).switch).toBe('stop-start');
  const restarted = (await ask('POST', `${path}/restart`)).body;
  expect([restarted.switch, restarted.detail]).toEqual([
    'stop-start',
    expect.stringContaining('has a volume'),
  ]);
  expect(((await host.next('start')).spec as DeploySpec).volumes).toHaveLength(1);
});

describe('what a volume can not be', () => {
  test.each([
    ['mountPath', '/'],
    ['mountPath', 'data'],
    ['mountPath', '/data/'],
    ['mountPath', '/data/../etc'],
    ['mountPath', '/data/./x'],
    ['mountPath', '//data'],
    ['mountPath', '/a:b'],
    ['mountPath', '/proc'],
    ['mountPath', '/sys/fs'],
    ['mountPath', '/dev/shm'],
    ['name', 'Data'],
    ['name', '-data'],
    ['name', ''],
    ['sizeMb', 0],
  ])('%s %j is refused by its name', async (field, value) => {
    const { id } = await newService();
    const reply = await post(id, { ...data, [field]: value });
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
    expect(reply.text).toContain(field);
  });

  test('a path inside another volume, around it, or the same one is refused, and so is a name that is taken', async () => {
    const { id } = await newService();
    expect((await post(id, data)).status).toBe(200);
    for (const mountPath of ['/var/lib/app', '/var/lib/app/x', '/var/lib', '/var']) {
      const reply = await post(id, { name: 'other', mountPath });
      expect([mountPath, reply.status, reply.text]).toEqual([
        mountPath,
        409,
        expect.stringContaining('are inside each other'),
      ]);
    }
    expect((await post(id, { name: 'data', mountPath: '/other' })).text).toContain('already has a volume');
    expect((await post(id, { name: 'other', mountPath: '/var/lib/application' })).status).toBe(200);
  });

  test('simultaneous requests for the same place make one volume', async () => {
    const { id } = await newService();
    const replies = await Promise.all(
      ['/a', '/a/b', '/a/b/c'].map((mountPath, index) => post(id, { name: `v${index}`, mountPath })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  test.each([
    [
      'a database',
      { kind: 'database', repoUrl: 'database', repoFullName: 'database:redis' },
      'A database has',
    ],
    ['a static site', { runtimeMode: 'static' }, 'A static site runs no program'],
  ])('%s takes no volume', async (_, fields, sentence) => {
    const { id } = await newService(fields);
    expect((await post(id, data)).text).toContain(sentence);
  });

  test('a service has at most ten volumes, and a tenant as many as its quota', async () => {
    const { id } = await newService();
    for (let one = 0; one < 10; one++) await post(id, { name: `v${one}`, mountPath: `/v/${one}` });
    expect((await post(id, data)).text).toContain('at most 10 volumes');
    const tenantId = await insertTenant('small');
    await operator('PATCH', `/tenants/${tenantId}`, { quotas: { volumes: 1 } });
    const { token: theirs } = await insertKey({ tenantId });
    const place = { projectId: (await insertProject({ tenantId })).id, runnerId: runner.id };
    const add = async (name: string) => {
      const { id: serviceId } = await insertService(place);
      return call('POST', `/api/services/${serviceId}/volumes`, { token: theirs, body: { ...data, name } });
    };
    expect((await add('one')).status).toBe(200);
    expect((await add('two')).body).toMatchObject({
      code: 'quota_exceeded',
      error: expect.stringContaining('The quota "volumes" allows 1 volume'),
    });
  });
});

test('a volume keeps its service on its host, also while it is deleted and can be restored', async () => {
  const service = await newService();
  const other = await insertRunner();
  const move = () => call('PATCH', `/api/services/${service.id}`, { token, body: { runnerId: other.id } });
  const { id } = (await post(service.id, data)).body.volume;
  expect([(await move()).status, (await move()).text]).toEqual([
    409,
    expect.stringContaining('It has volumes, whose data would stay behind'),
  ]);
  await call('DELETE', `/api/services/${service.id}/volumes/${id}`, { token });
  expect((await move()).text).toContain('can still be restored here');
  await sweepLater(73 * hourMs);
  expect((await move()).status).toBe(200);
});

test('a deleted volume can be restored for 72 hours, then its host removes it', async () => {
  const service = await newService();
  const path = `/api/services/${service.id}/volumes`;
  const { id } = (await post(service.id, data)).body.volume;
  const remove = () => call('DELETE', `${path}/${id}`, { token });
  const restore = () => call('POST', `${path}/${id}/restore`, { token });
  expect((await remove()).body.detail).toContain(`POST ${path}/${id}/restore`);
  expect((await call('GET', path, { token })).body.volumes).toEqual([]);
  const namesake = (await post(service.id, data)).body.volume;
  expect([(await restore()).status, (await restore()).body.error]).toEqual([
    409,
    expect.stringContaining('already has a volume with the name "data"'),
  ]);
  await call('PATCH', `${path}/${namesake.id}`, { token, body: { name: 'new', mountPath: '/new' } });
  expect((await restore()).body.volume).toMatchObject({ id, ...data });
  await remove();
  await sweepLater(73 * hourMs);
  expect((await restore()).status).toBe(404);
  expect(await hostTasks(runner.id)).toContainEqual(
    expect.objectContaining({ kind: 'remove-volume', serviceId: service.id, volumeId: id }),
  );
});

test('a deleted volume is listed by its own name, with the name of its service', async () => {
  const { ask, service, remove } = await liveApp();
  const path = `/services/${service.id}`;
  const { id } = (await ask('POST', `${path}/volumes`, { ...data, name: 'uploads' })).body.volume;
  await ask('DELETE', `${path}/volumes/${id}`);
  const named = { id, kind: 'volume', name: 'uploads', serviceId: service.id, serviceName: service.name };
  expect((await ask('GET', '/deleted')).body.deleted).toMatchObject([named]);
  expect((await operator('GET', '/deleted')).body.deleted).toContainEqual(expect.objectContaining(named));
  await remove(path);
  await ask('DELETE', `/projects/${service.projectId}`);
  const { deleted } = (await ask('GET', '/deleted')).body;
  expect(deleted.map((one: Record<string, unknown>) => [one.kind, one.serviceName])).toEqual(
    expect.arrayContaining([
      ['volume', service.name],
      ['service', service.name],
      ['project', null],
    ]),
  );
});

test('a rollback gets the volumes of now, not those of its version', async () => {
  const { ask, service, runner: host, ship } = await liveApp();
  const path = `/services/${service.id}`;
  const { id } = (await ask('POST', `${path}/volumes`, data)).body.volume;
  const before = await ship(service);
  await ask('DELETE', `${path}/volumes/${id}`);
  await ship(service);
  expect((await ask('POST', `/deployments/${before}/rollback`)).body.switch).toBe('overlap');
  expect(((await host.next('start')).spec as DeploySpec).volumes).toBeUndefined();
});

test('volumes of a protected service are not deleted', async () => {
  const service = await newService({ protected: true });
  const { id } = (await post(service.id, data)).body.volume;
  const reply = await call('DELETE', `/api/services/${service.id}/volumes/${id}`, { token });
  expect([reply.status, reply.body.code]).toEqual([409, 'protected']);
});

test('a deleted service comes back with its volumes; its purge removes their data', async () => {
  const { ask, service, runner: host, remove } = await liveApp();
  const path = `/services/${service.id}`;
  const { id } = (await ask('POST', `${path}/volumes`, data)).body.volume;
  await remove(path);
  await ask('POST', `${path}/restore`);
  expect((await ask('GET', `${path}/volumes`)).body.volumes).toMatchObject([{ id }]);
  const start = await host.next('start');
  expect((start.spec as DeploySpec).volumes).toMatchObject([{ id }]);
  await succeed(host, start);
  await remove(path);
  await host.disconnect();
  await sweepLater(73 * hourMs);
  expect(await hostTasks(service.runnerId)).toContainEqual(
    expect.objectContaining({ kind: 'remove-volumes', serviceId: service.id }),
  );
});
