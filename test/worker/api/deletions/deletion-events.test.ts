/** What is deleted, restored and purged is reported to the event webhook, once each, and nothing is reported that did not happen. */
import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import { newId } from '../../../../protocol/ids.ts';
import { eventBody } from '../../../../worker/domain/alerts/events.ts';
import { events } from '../../../../worker/store/schema/events.ts';
import { keepDeletedBackup } from '../../../../worker/usecases/backups/keep-deleted-backup.ts';
import {
  deps,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  type Json,
} from '../../../support/worker/api.ts';
import { call, operator, sweepLater } from '../../../support/worker/deletions.ts';

const hourMs = 3_600_000;
const raised = async (): Promise<Json[]> =>
  (await deps.db.select().from(events)).map((event) => JSON.parse(eventBody({ ...event, type: event.type })));
const types = async () => (await raised()).map(({ type, resourceId }) => [type, resourceId]);

beforeEach(async () => {
  await env.DB.batch(['events', 'deletions'].map((name) => env.DB.prepare(`delete from ${name}`)));
  await operator('PATCH', '/settings', { eventWebhook: { url: 'https://hooks.example.com/' } });
});

async function bench() {
  const project = await insertProject({ name: 'Shop' });
  const { id: runnerId } = await insertRunner();
  const service = await insertService({ projectId: project.id, runnerId, name: 'web' });
  const { token } = await insertKey();
  const ask = async (method: string, path: string) => (await call(method, `/api${path}`, { token })).status;
  return { project, service, ask };
}

test('a deletion, a restore and a purge of a service each raise one event', async () => {
  const { project, service, ask } = await bench();
  const path = `/services/${service.id}`;
  expect([await ask('DELETE', path), await ask('DELETE', path)]).toEqual([200, 404]);
  expect(await raised()).toEqual([
    {
      id: expect.stringMatching(/^evt_[a-z0-9]{16}$/),
      type: 'service.deleted',
      createdAt: expect.any(String),
      tenantId: 'default',
      projectId: project.id,
      serviceId: service.id,
      resourceId: service.id,
      trigger: null,
      startedBy: { type: 'key', id: expect.stringMatching(/^key_/), name: 'test' },
      summary: 'The service web (project Shop) was deleted by the key test.',
      error: null,
    },
  ]);
  expect([await ask('POST', `${path}/restore`), await ask('POST', `${path}/restore`)]).toEqual([200, 404]);
  expect(await ask('DELETE', path)).toBe(200);
  await sweepLater(73 * hourMs);
  await sweepLater(74 * hourMs);
  const names = ['service.deleted', 'service.restored', 'service.deleted', 'service.purged'];
  expect(await types()).toEqual(names.map((name) => [name, service.id]));
  expect((await raised()).at(-1)).toMatchObject({
    startedBy: { type: 'platform' },
    summary: "The service web (project Shop) was purged: it can't be restored any more.",
  });
});

test('a project has one event for itself and all its services, without a service', async () => {
  const { project, ask } = await bench();
  await ask('DELETE', `/projects/${project.id}`);
  await operator('POST', `/deleted/${project.id}/purge`);
  expect(await types()).toEqual([
    ['project.deleted', project.id],
    ['project.purged', project.id],
  ]);
  expect(await raised()).toMatchObject([
    { serviceId: null, summary: 'The project Shop was deleted by the key test.' },
    {
      ...{ serviceId: null, startedBy: { type: 'operator' } },
      summary: "The project Shop was purged by the operator: it can't be restored any more.",
    },
  ]);
  const { events: listed } = (await operator('GET', '/events')).body;
  expect(listed).toMatchObject([{ serviceId: null }, { serviceId: null }]);
});

test('a backup that a user deletes has an event', async () => {
  const { service } = await bench();
  const id = newId('backup', deps.fillRandom);
  await env.DB.prepare(
    `insert into backups (id, service_id, engine, status, trigger, storage, format, size_bytes, checksum, created_at, started_at)
      values (?, ?, 'postgres', 'failed', 'manual', 'disk', 'custom', 0, '', 0, 0)`,
  )
    .bind(id, service.id)
    .run();
  await keepDeletedBackup(deps, { backup: { id }, service });
  expect(await types()).toEqual([['backup.deleted', id]]);
});

test('a deletion that is refused raises nothing, and without a webhook nothing waits', async () => {
  const { service, ask } = await bench();
  await env.DB.prepare('update services set protected = 1 where id = ?').bind(service.id).run();
  expect(await ask('DELETE', `/services/${service.id}`)).toBe(409);
  await env.DB.prepare('update services set protected = 0 where id = ?').bind(service.id).run();
  await operator('PATCH', '/settings', { eventWebhook: null });
  expect(await ask('DELETE', `/services/${service.id}`)).toBe(200);
  expect(await raised()).toEqual([]);
});

test('what a user deletes where nothing is kept is purged by that user, in the event and in the audit log', async () => {
  const { project, service, ask } = await bench();
  await operator('PATCH', '/settings', { keepDeletedHours: 0 });
  try {
    expect(await ask('DELETE', `/services/${service.id}`)).toBe(200);
    expect(await ask('DELETE', `/projects/${project.id}`)).toBe(200);
  } finally {
    await operator('PATCH', '/settings', { keepDeletedHours: 72 });
  }
  const by = { type: 'key', name: 'test' };
  expect((await raised()).filter(({ type }) => type.endsWith('.purged'))).toMatchObject([
    { type: 'service.purged', startedBy: by },
    { type: 'project.purged', startedBy: by },
  ]);
  const { entries } = (await operator('GET', '/audit')).body;
  const purges = entries.filter(
    ({ route, resourceId }: Json) =>
      route.endsWith('.purged') && [project.id, service.id].includes(resourceId),
  );
  expect(purges.map(({ route, actedBy }: Json) => `${route} ${actedBy.name}`).sort()).toEqual([
    'project.purged test',
    'service.purged test',
  ]);
});
