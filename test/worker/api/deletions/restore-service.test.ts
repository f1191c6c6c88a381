/** Services and backups that are deleted and restored. The hosts are played here. */
import { env } from 'cloudflare:workers';
import { getTableConfig } from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import { archivedTables } from '../../../../worker/store/sql/row-archive.ts';
import { insertKey, insertProject, insertTenant, type Json } from '../../../support/worker/api.ts';
import {
  call,
  clientLater,
  everyRow,
  finishTask,
  hostTasks,
  hourMs,
  liveApp,
  succeed,
} from '../../../support/worker/deletions.ts';
import { bytes, remoteDatabase } from '../../../support/worker/remote-backup.ts';

test('every table that loses rows with a service or a project is kept', async () => {
  const { results } = await env.DB.prepare(`select name, sql from sqlite_master where type = 'table'`).all<{
    name: string;
    sql: string;
  }>();
  const parentsOf = (text: string) =>
    [...text.matchAll(/REFERENCES `(\w+)`\(`\w+`\) ON UPDATE no action ON DELETE cascade/gi)].map(
      ([, name]) => name,
    );
  const lost = new Set(['projects']);
  for (let size = 0; size !== lost.size; ) {
    size = lost.size;
    for (const { name, sql } of results)
      if (parentsOf(sql).some((parent) => lost.has(parent ?? ''))) lost.add(name);
  }
  const kept = archivedTables.map((table) => getTableConfig(table).name);
  expect(kept.toSorted()).toEqual([...lost].toSorted());
});

test('a restore brings back every row of an app and starts its stored image with the variables of the live version', {
  tags: 'slow',
}, async () => {
  const { ask, runner, service, deploymentId, remove } = await liveApp();
  const before = await everyRow();
  const reply = await remove(`/services/${service.id}`);
  expect(reply.body.proxy.detail).toMatch(
    new RegExp(`can be restored until \\d{4}-.*Z with POST /api/services/${service.id}/restore\\.$`),
  );
  expect((await ask('GET', `/services/${service.id}/overview`)).status).toBe(404);
  expect((await hostTasks(runner.runnerId)).at(-1)).toMatchObject({
    kind: 'remove-service',
    keepsImages: true,
  });

  const restored = await ask('POST', `/services/${service.id}/restore`);
  expect(restored.body).toMatchObject({
    service: {
      ...service,
      status: expect.any(String),
      updatedAt: expect.any(String),
      lastDeployedAt: expect.any(String),
    },
    changes: [],
  });
  const start = await runner.next('start');
  const box = await runner.openBox(start);
  expect(start.spec).toMatchObject({ serviceId: service.id, source: { type: 'kept', deploymentId } });
  expect(box.env.A).toBe('1');
  await succeed(runner, start);
  const overview = (await ask('GET', `/services/${service.id}/overview`)).body;
  expect(overview.service.status).toBe('active');
  expect(overview.deployments.map((one: Json) => [one.trigger, one.status])).toEqual([
    ['restore', 'running'],
    ['manual', 'superseded'],
  ]);

  const after = await everyRow();
  const own = { jobs: 1, deployments: 1 };
  for (const [table, rows] of Object.entries(before)) {
    const more = own[table as keyof typeof own] ?? 0;
    expect([table, after[table]?.length]).toEqual([table, rows.length + more]);
    if (['services', 'jobs', 'deployments'].includes(table)) continue;
    expect([table, after[table]]).toEqual([table, rows]);
  }
  const without = ({
    status,
    reachable,
    routes_revision,
    finished_at,
    sealed_snapshot,
    last_deployed_at,
    ...row
  }: Json) => row;
  expect(after.services?.map(without)).toEqual(before.services?.map(without));
  expect(await env.DB.prepare('select count(*) as count from deletions').first()).toEqual({ count: 0 });
});

test('a deployment of a restored service waits until the host has stopped the deleted one', {
  tags: 'slow',
}, async () => {
  const { ask, runner, service } = await liveApp();
  const deleting = ask('DELETE', `/services/${service.id}`);
  const stop = await runner.next('task');
  const restoring = ask('POST', `/services/${service.id}/restore`);
  expect((await restoring).body.service.status).toBe('queued');
  expect(await runner.unread()).not.toContain('start');
  runner.send({ v: 1, type: 'task-done', id: stop.id, proxy: { ok: true, detail: 'gone' } });
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({ serviceId: service.id });
  await deleting;
});

test('a job that was running when its service was deleted is over after the restore', async () => {
  const { send, runner, service, token } = await remoteDatabase();
  for (const key of ['POSTGRES_DB', 'POSTGRES_USER', 'POSTGRES_PASSWORD'])
    await call('POST', `/api/services/${service.id}/env`, { token, body: { key, value: 'app' } });
  const begun = (await send('POST', '', { storage: 'disk' })).body.backup;
  const start = await runner.next('start');
  const deleting = call('DELETE', `/api/services/${service.id}`, { token });
  await finishTask(runner);
  await deleting;
  await call('POST', `/api/services/${service.id}/restore`, { token });
  await runner.report(start, { type: 'result', result: { outcome: 'aborted', facts: {} } });
  const [backup] = (await send('GET')).body.backups;
  expect(backup).toMatchObject({ id: begun.id, status: 'failed', error: expect.stringContaining('deleted') });
  // The database starts with its current settings on its kept data; nothing is rolled back.
  expect((await runner.next('start')).spec).toMatchObject({ source: { type: 'database' } });
});

test('what was taken meanwhile gets another value, and the answer names it', { tags: 'slow' }, async () => {
  const { ask, create, service, hostname, remove, runner } = await liveApp();
  await remove(`/services/${service.id}`);
  const other = await create({ name: 'web', repoUrl: 'https://git.example/o' });
  expect([other.slug, other.hostPort, other.primaryUrl]).toEqual([
    service.slug,
    service.hostPort,
    service.primaryUrl,
  ]);
  const adding = ask('POST', `/services/${other.id}/domains`, { hostname });
  await finishTask(runner);
  await adding;
  const { status, body } = await ask('POST', `/services/${service.id}/restore`);
  const of = { serviceId: service.id };
  expect([status, body.changes]).toEqual([
    200,
    [
      { ...of, field: 'slug', before: 'web', after: 'web-2' },
      { ...of, field: 'hostPort', before: String(service.hostPort), after: String(service.hostPort + 1) },
      {
        ...of,
        field: 'generatedHostname',
        before: expect.any(String),
        after: expect.stringContaining('web-2'),
      },
      { ...of, field: 'domain', before: hostname, after: null },
    ],
  ]);
  expect(body.service).toMatchObject({ slug: 'web-2', hostPort: service.hostPort + 1 });
  expect((await ask('GET', `/services/${service.id}/overview`)).body.domains).toEqual([]);
  expect((await runner.next('start')).spec).toMatchObject({ hostPort: service.hostPort + 1 });
});

test('only a write key that could see a service can restore it', { tags: 'slow' }, async () => {
  const { ask, host, service, remove, deploymentId } = await liveApp();
  await remove(`/services/${service.id}`);
  const tokens = {
    read: (await insertKey({ access: 'read' })).token,
    other: (await insertKey({ projects: [(await insertProject()).id] })).token,
    tenant: (await insertKey({ tenantId: await insertTenant('restore') })).token,
  };
  const path = `/api/services/${service.id}/restore`;
  for (const [name, token] of Object.entries(tokens)) {
    expect([name, (await call('POST', path, { token })).status]).toEqual([name, name === 'read' ? 403 : 404]);
  }
  const listed = async (token: string) =>
    (await call('GET', '/api/deleted', { token })).body.deleted.filter((one: Json) => one.id === service.id);
  expect([await listed(tokens.other), await listed(tokens.tenant)]).toEqual([[], []]);
  expect(await listed(tokens.read)).toEqual([
    {
      id: service.id,
      kind: 'service',
      name: 'web',
      projectId: host.project.id,
      projectName: 'Test',
      serviceName: 'web',
      serviceId: service.id,
      deletedAt: expect.any(String),
      restorableUntil: expect.any(String),
      backupBytes: 0,
      restore: `POST ${path}`,
    },
  ]);
  const [{ deletedAt, restorableUntil }] = await listed(tokens.read);
  expect(Date.parse(restorableUntil) - Date.parse(deletedAt)).toBe(72 * hourMs);
  expect((await ask('GET', `/deployments/${deploymentId}`)).status).toBe(404);
  const chosen = (await insertKey({ projects: [host.project.id] })).token;
  expect((await call('POST', path, { token: chosen })).status).toBe(200);
  expect((await call('POST', path, { token: chosen })).status).toBe(404);
});

test('after its time a service is neither listed nor restored, even before cron has purged it', {
  tags: 'slow',
}, async () => {
  const { service, remove, token } = await liveApp();
  await remove(`/services/${service.id}`);
  const [early, late] = [clientLater(72 * hourMs - 60_000), clientLater(72 * hourMs + 60_000)];
  const path = `/api/services/${service.id}/restore`;
  const isListed = async (client: typeof early) =>
    (await client('GET', '/api/deleted', { token })).body.deleted.some((one: Json) => one.id === service.id);
  expect([await isListed(early), await isListed(late)]).toEqual([true, false]);
  expect((await late('POST', path, { token })).status).toBe(404);
  expect((await early('POST', path, { token })).status).toBe(200);
});

test('a deleted backup keeps its copies, and comes back with its history', async () => {
  const { taken, send, listed, runner, token } = await remoteDatabase();
  const backup = await taken('disk+remote');
  const { body } = await send('DELETE', `/${backup.id}`);
  expect(body).toEqual({ ok: true });
  const { deleted } = (await call('GET', '/api/deleted', { token })).body;
  expect(deleted[0]).toMatchObject({ id: backup.id, restore: expect.stringMatching(/\/undelete$/) });
  expect([await listed(backup.id), (await send('GET', `/${backup.id}/download`)).status]).toEqual([
    undefined,
    404,
  ]);
  expect((await send('POST', `/${backup.id}/restore`)).status).toBe(404);
  expect(await hostTasks(runner.runnerId)).toEqual([]);
  const back = await send('POST', `/${backup.id}/undelete`);
  const { restore: _r, drill: _d, ...fields } = backup;
  expect(back.body.backup).toEqual(fields);
  expect(await listed(backup.id)).toEqual(backup);
  await runner.disconnect();
  await expect.poll(async () => (await send('GET', `/${backup.id}/download`)).text).toBe(bytes);
});

test('a deleted backup follows its service to another project: only keys that see it there can restore it', async () => {
  const { taken, send, service, token } = await remoteDatabase();
  const backup = await taken('remote');
  const oldKey = (await insertKey({ projects: [service.projectId] })).token;
  await send('DELETE', `/${backup.id}`);
  const target = await insertProject();
  const moved = { token, body: { targetProjectId: target.id } };
  expect((await call('POST', `/api/services/${service.id}/transfer`, moved)).status).toBe(200);
  const path = `/api/services/${service.id}/database/backups/${backup.id}/undelete`;
  expect((await call('POST', path, { token: oldKey })).status).toBe(404);
  expect((await call('GET', '/api/deleted', { token: oldKey })).body.deleted).toEqual([]);
  const newKey = (await insertKey({ projects: [target.id] })).token;
  expect((await call('POST', path, { token: newKey })).status).toBe(200);
});

test('a restore over a quota is refused with the numbers, and everything stays kept', {
  tags: 'slow',
}, async () => {
  const { ask, service, remove, host } = await liveApp();
  await remove(`/services/${service.id}`);
  const tenant = { id: await insertTenant('small') };
  await env.DB.batch([
    env.DB.prepare('update projects set tenant_id = ? where id = ?').bind(tenant.id, host.project.id),
    env.DB.prepare('update runners set tenant_id = ? where id = ?').bind(tenant.id, host.runnerId),
    env.DB.prepare('update deletions set tenant_id = ? where resource_id = ?').bind(tenant.id, service.id),
    env.DB.prepare(`update tenants set quotas = '{"services":0}' where id = ?`).bind(tenant.id),
  ]);
  const { token } = await insertKey({ tenantId: tenant.id });
  const path = `/api/services/${service.id}/restore`;
  const reply = await call('POST', path, { token });
  expect([reply.status, reply.body.code]).toEqual([409, 'quota_exceeded']);
  expect(reply.body.error).toContain('0 services');
  await env.DB.prepare(`update tenants set quotas = '{}' where id = ?`).bind(tenant.id).run();
  expect((await call('POST', path, { token })).status).toBe(200);
  expect((await ask('GET', `/services/${service.id}/overview`)).status).toBe(404);
});
