/** The final removal of what was deleted, and protection against deletion. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { createBlobs } from '../../../../worker/gateways/blobs/create-blobs.ts';
import { selectDeletion } from '../../../../worker/store/deletions/deletion-store.ts';
import { jobs } from '../../../../worker/store/schema/jobs.ts';
import { sweepCopies } from '../../../../worker/usecases/backups/sweep-backups.ts';
import { restoreDeletion } from '../../../../worker/usecases/deletions/restore-deletion.ts';
import { deleteService } from '../../../../worker/usecases/services/delete-service.ts';
import {
  deps,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  type Json,
} from '../../../support/worker/api.ts';
import {
  call,
  deletedRowsOf,
  hostTasks,
  hourMs,
  liveApp,
  operator,
  sweepLater,
} from '../../../support/worker/deletions.ts';
import { insertDeploymentOf } from '../../../support/worker/deployment-rows.ts';
import { failingBucket } from '../../../support/worker/failing-bucket.ts';
import { remoteDatabase } from '../../../support/worker/remote-backup.ts';

const auditOf = async (id: string) =>
  (
    await env.DB.prepare(
      `select actor, route, tenant_id from audit_log where resource_id = ? and actor = 'system'`,
    )
      .bind(id)
      .all()
  ).results;
const objectExists = async (key: string) => (await env.BLOBS.head(key)) !== null;
const kinds = async (runnerId: string) =>
  (await hostTasks(runnerId)).map(({ kind, keepsImages }) => [kind, keepsImages]);

test('a deleted database keeps its data for 72 hours; then host, bucket and logs remove it', {
  tags: 'slow',
}, async () => {
  const { taken, service, token, runner } = await remoteDatabase();
  const { remoteKey } = await taken('remote');
  const { id: deploymentId } =
    (await env.DB.prepare('select id from deployments where service_id = ?')
      .bind(service.id)
      .first<Json>()) ?? {};
  await runner.disconnect();
  await call('DELETE', `/api/services/${service.id}`, { token });
  await sweepLater(72 * hourMs - 60_000);
  await sweepCopies({ ...deps, now: () => Date.now() + 71 * hourMs });
  expect(await kinds(service.runnerId)).toEqual([['remove-service', true]]);
  expect([await objectExists(remoteKey), (await deletedRowsOf(service.id)).length > 0]).toEqual([true, true]);
  const purged = () =>
    env.DB.prepare('select 1 as noted from log_purges where stream_name = ?').bind(deploymentId).first();
  expect(await purged()).toBeNull();

  await sweepLater(72 * hourMs + 60_000);
  expect(await kinds(service.runnerId)).toEqual([
    ['remove-service', true],
    ['remove-service', undefined],
    ['remove-volumes', undefined],
  ]);
  expect(await purged()).toEqual({ noted: 1 });
  expect(await auditOf(service.id)).toEqual([
    { actor: 'system', route: 'service.purged', tenant_id: 'default' },
  ]);
  await sweepCopies({ ...deps, now: () => Date.now() + 73 * hourMs });
  expect([await objectExists(remoteKey), await deletedRowsOf(service.id)]).toEqual([false, []]);
  expect((await call('POST', `/api/services/${service.id}/restore`, { token })).status).toBe(404);
  await sweepLater(74 * hourMs);
  expect(await kinds(service.runnerId)).toHaveLength(3);
});

test('of a restore and a purge at the same time exactly one has effect', { tags: 'slow' }, async () => {
  for (let round = 0; round < 6; round++) {
    const { service, token, runner } = await remoteDatabase();
    await runner.disconnect();
    await call('DELETE', `/api/services/${service.id}`, { token });
    const restore = () => call('POST', `/api/services/${service.id}/restore`, { token });
    const purge = () => operator('POST', `/deleted/${service.id}/purge`);
    const [restored] = await Promise.all(
      round % 2 === 0 ? [restore(), purge()] : [purge().then(restore), restore()],
    );
    const isBack = (await call('GET', `/api/services/${service.id}/overview`, { token })).status === 200;
    const removesData = (await kinds(service.runnerId)).some(([kind]) => kind === 'remove-volumes');
    expect([restored?.status, isBack, removesData]).toEqual(
      isBack ? [expect.any(Number), true, false] : [404, false, true],
    );
  }
});

test('a restore that has read everything before a purge committed restores nothing', async () => {
  const { service, remove } = await liveApp();
  await remove(`/services/${service.id}`);
  const [found] = await selectDeletion(deps.db, service.id);
  let purging: (() => Promise<unknown>) | undefined = () => operator('POST', `/deleted/${service.id}/purge`);
  const db = new Proxy(deps.db, {
    get(real, name) {
      if (name !== 'batch') return Reflect.get(real, name);
      return async (...args: Parameters<typeof real.batch>) => {
        const isWrite = args[0].length > 10;
        const purge = isWrite ? purging : undefined;
        if (isWrite) purging = undefined;
        await purge?.();
        return real.batch(...args);
      };
    },
  });
  if (!found) throw new Error('no deletion');
  await expect(restoreDeletion({ ...deps, db }, found.deletion)).rejects.toMatchObject({ code: 'not_found' });
  expect(purging).toBeUndefined();
  expect(await env.DB.prepare('select 1 from services where id = ?').bind(service.id).first()).toBeNull();
});

test('the operator sees what is kept on which host, and purges it with what was part of it', {
  tags: 'slow',
}, async () => {
  const { taken, send, service, token, runner } = await remoteDatabase();
  const backup = await taken('remote');
  await runner.disconnect();
  await send('DELETE', `/${backup.id}`);
  await call('DELETE', `/api/services/${service.id}`, { token });
  const shown = async (id: string) =>
    (await operator('GET', '/deleted')).body.deleted.find((one: Json) => one.id === id);
  expect(await shown(backup.id)).toMatchObject({
    kind: 'backup',
    serviceId: service.id,
    runnerIds: [service.runnerId],
    backupBytes: backup.sizeBytes,
    tenantId: 'default',
    purging: false,
  });
  expect((await operator('GET', '/tenants')).body.tenants[0].usage.backupBytes).toBeGreaterThanOrEqual(
    backup.sizeBytes,
  );
  const lone = await send('POST', `/${backup.id}/undelete`);
  expect([lone.status, lone.body.error]).toEqual([
    409,
    expect.stringContaining(`restore it first with POST /api/services/${service.id}/restore`),
  ]);
  expect((await operator('POST', `/deleted/${service.id}/purge`)).body).toEqual({ ok: true });
  expect([await shown(service.id), await shown(backup.id)]).toEqual([undefined, undefined]);
  expect(await objectExists(backup.remoteKey)).toBe(false);
});

test('a purge whose bucket fails can not be undone any more, and is repeated until it has removed the copy', async () => {
  const { taken, send, runner } = await remoteDatabase();
  const backup = await taken('disk+remote');
  await runner.disconnect();
  await send('DELETE', `/${backup.id}`);
  const blobs = createBlobs({ r2: failingBucket(() => true) });
  await sweepLater(73 * hourMs, { blobs });
  expect([await objectExists(backup.remoteKey), (await hostTasks(runner.runnerId)).length]).toEqual([
    true,
    0,
  ]);
  expect((await send('POST', `/${backup.id}/undelete`)).status).toBe(404);
  await sweepLater(73 * hourMs);
  expect([await objectExists(backup.remoteKey), await kinds(runner.runnerId)]).toEqual([
    false,
    [['remove-backup', undefined]],
  ]);
});

test('what a service printed on a host that it has left is removed there with the service', async () => {
  const { service, token, runner } = await remoteDatabase();
  const earlier = await insertRunner();
  await deps.db.insert(jobs).values({
    ...{
      id: deps.newId('job'),
      kind: 'deploy',
      serviceId: service.id,
      runnerId: earlier.id,
      state: 'succeeded',
    },
    ...{ epoch: 1, queuedAt: 1, finishedAt: 1 },
  });
  await runner.disconnect();
  await call('DELETE', `/api/services/${service.id}`, { token });
  expect(await hostTasks(earlier.id)).toEqual([]);
  await sweepLater(73 * hourMs);
  expect(await hostTasks(earlier.id)).toMatchObject([{ kind: 'remove-service', serviceId: service.id }]);
  expect((await hostTasks(earlier.id))[0]).not.toHaveProperty('keepsLogs');
});

test.each(['service', 'project'] as const)(
  'a %s that was never deployed leaves nothing behind if its deletion says so, and is kept otherwise and once it was deployed',
  async (kind) => {
    const [{ id: runnerId }, { token }] = [await insertRunner(), await insertKey()];
    const restoredAfter = async (query: string, isDeployed: boolean) => {
      const project = await insertProject();
      const service = await insertService({ projectId: project.id, runnerId });
      if (isDeployed)
        await insertDeploymentOf(service.id, { job: { state: 'failed' }, deployment: { status: 'failed' } });
      const id = kind === 'service' ? service.id : project.id;
      const { body } = await call('DELETE', `/api/${kind}s/${id}${query}`, { token });
      const isSaid = body.proxy.detail.endsWith("It can't be restored: it was never deployed.");
      const { status } = await call('POST', `/api/${kind}s/${id}/restore`, { token });
      const rows = await deletedRowsOf(id);
      expect([isSaid, rows.length > 0]).toEqual([status === 404, false]);
      return status;
    };
    expect(await restoredAfter('?purgeIfUnused=true', false)).toBe(404);
    expect(await restoredAfter('?purgeIfUnused=true', true)).toBe(200);
    expect(await restoredAfter('?purgeIfUnused=false', false)).toBe(200);
    expect(await restoredAfter('', false)).toBe(200);
  },
);

test('with keepDeletedHours 0 nothing is kept, and the answer says so', async () => {
  await operator('PATCH', '/settings', { keepDeletedHours: 0 });
  const { service, token, runner } = await remoteDatabase();
  await runner.disconnect();
  const { body } = await call('DELETE', `/api/services/${service.id}`, { token });
  await operator('PATCH', '/settings', { keepDeletedHours: 72 });
  expect(body.proxy.detail).toMatch(/It can't be restored: this instance deletes resources permanently\.$/);
  expect((await kinds(service.runnerId)).map(([kind]) => kind)).toEqual([
    'remove-service',
    'remove-service',
    'remove-volumes',
  ]);
  expect((await operator('PATCH', '/settings', { keepDeletedHours: 721 })).status).toBe(400);
});

test('a host and a tenant stay while something deleted is kept there', async () => {
  const { service, token, runner } = await remoteDatabase();
  await runner.disconnect();
  await call('DELETE', `/api/services/${service.id}`, { token });
  const revoke = () => operator('DELETE', `/runners/${service.runnerId}`);
  const refused = await revoke();
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringContaining('GET /api/system/deleted'),
  ]);
  await operator('POST', `/deleted/${service.id}/purge`);
  expect((await revoke()).status).toBe(200);
});

test('a protected service, its project and its backups cannot be deleted, and only the operator ends the protection', {
  tags: 'slow',
}, async () => {
  const { taken, send, service, token, runner } = await remoteDatabase();
  const backup = await taken('remote');
  await runner.disconnect();
  const path = `/api/services/${service.id}`;
  const patch = (value: boolean, by = token) =>
    call('PATCH', path, { token: by, body: { protected: value } });
  expect((await patch(false)).status).toBe(200);
  expect((await patch(true)).body.service.protected).toBe(true);
  for (const target of [
    path,
    `/api/projects/${service.projectId}`,
    `${path}/database/backups/${backup.id}`,
  ]) {
    const { status, body } = await call('DELETE', target, { token });
    expect([target, status, body.code, body.error]).toEqual([
      target,
      409,
      'protected',
      expect.stringContaining('operator'),
    ]);
  }
  expect((await patch(false)).body.code).toBe('protected');
  expect((await call('PATCH', path, { token, body: { protected: false, branch: 'x' } })).status).toBe(409);
  expect((await send('GET')).body.backups.map(({ id }: Json) => id)).toEqual([backup.id]);
  const destroy = (await insertKey({ access: 'destroy' })).token;
  expect((await patch(false, destroy)).body.service.protected).toBe(false);
  await patch(true);
  const ended = await operator('PATCH', `/services/${service.id}`, { protected: false });
  expect([ended.status, ended.body.service.protected]).toEqual([200, false]);
  expect((await call('DELETE', path, { token })).status).toBe(200);
});

test('a service that is protected while its deletion is in progress stays', async () => {
  const { service, ask } = await liveApp();
  let protecting: (() => Promise<unknown>) | undefined = () =>
    ask('PATCH', `/services/${service.id}`, { protected: true });
  const db = new Proxy(deps.db, {
    get(real, name) {
      if (name !== 'batch') return Reflect.get(real, name);
      return async (...args: Parameters<typeof real.batch>) => {
        const protect = protecting;
        protecting = undefined;
        await protect?.();
        return real.batch(...args);
      };
    },
  });
  await expect(deleteService({ ...deps, db }, service.id)).rejects.toMatchObject({ code: 'protected' });
  expect((await ask('GET', `/services/${service.id}/overview`)).body.service.status).toBe('active');
});
