/** Services that sleep, through the API: where it is allowed, and what the host is told. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import type { SleepHistory } from '../../../../protocol/observed/observed-service.ts';
import { newChannelSchema } from '../../../../worker/domain/alerts/notifications/channel-fields.ts';
import { insertKey, insertProject, insertRunner, insertService } from '../../../support/worker/api.ts';
import { call, liveApp, succeed } from '../../../support/worker/deletions.ts';

const usualEvents = newChannelSchema.parse({
  name: 'x',
  slack: { url: 'https://hooks.example.com/x' },
}).events;

async function tenantOf(projectId: string) {
  const row = await env.DB.prepare('select tenant_id from projects where id = ?')
    .bind(projectId)
    .first<{ tenant_id: string }>();
  return row?.tenant_id ?? '';
}

const insertChannel = (tenantId: string, id: string, events: readonly string[] | undefined) =>
  env.DB.prepare(`insert into notification_channels (id, tenant_id, name, kind, target, sealed_config, events, enabled, created_at, updated_at)
    values (?, ?, ?, 'slack', 'x', 'x', ?, 1, 0, 0)`)
    .bind(id, tenantId, id, JSON.stringify(events))
    .run();

const { token } = await insertKey();
const place = { projectId: (await insertProject()).id, runnerId: (await insertRunner()).id };
const patch = (id: string, body: unknown) => call('PATCH', `/api/services/${id}`, { token, body });

test('the minutes are told to the host with the next deployment', async () => {
  const { ask, service, runner: host } = await liveApp();
  const path = `/services/${service.id}`;
  expect((await ask('GET', path)).body.service.sleepAfterMinutes).toBeNull();
  expect((await ask('PATCH', path, { sleepAfterMinutes: 30 })).body.service.sleepAfterMinutes).toBe(30);
  await ask('POST', `${path}/restart`);
  const start = await host.next('start');
  expect((start.spec as DeploySpec).sleepAfterMinutes).toBe(30);
  await succeed(host, start);
});

test('a service tells whether it sleeps, since when, and how long its last wake took', async () => {
  const { ask, service, runner: host } = await liveApp();
  const path = `/services/${service.id}`;
  const shown = async () => (await ask('GET', path)).body.service;
  const { deploymentId } = (await ask('GET', `${path}/deployments`)).body.deployments[0];
  const observe = (sleep?: SleepHistory) =>
    host.send({
      ...{ v: 1, type: 'observed' },
      services: [
        {
          serviceId: service.id,
          deploymentId: String(deploymentId),
          state: 'running',
          reachable: true,
          ...(sleep && { sleep }),
        },
      ],
    });
  expect((await shown()).sleep).toBeNull();
  const tenantId = await tenantOf(service.projectId);
  await insertChannel(tenantId, 'nch_sleepasked0000000', ['service.slept', 'service.woke']);
  await insertChannel(tenantId, 'nch_sleepusual0000000', usualEvents);
  const [slept, woke] = [Date.UTC(2026, 10, 21, 9), Date.UTC(2026, 10, 21, 10)];
  observe({ asleepSince: slept, lastWokeAt: null, lastWakeMs: null });
  const asleep = {
    asleep: true,
    asleepSince: new Date(slept).toISOString(),
    lastWokeAt: null,
    lastWakeMs: null,
  };
  await expect.poll(async () => (await shown()).sleep).toEqual(asleep);
  expect(await shown()).toMatchObject({ status: 'active', reachable: true });
  observe({ asleepSince: null, lastWokeAt: woke, lastWakeMs: 850 });
  const awake = {
    asleep: false,
    asleepSince: null,
    lastWokeAt: new Date(woke).toISOString(),
    lastWakeMs: 850,
  };
  await expect.poll(async () => (await shown()).sleep).toEqual(awake);
  const overview = (await ask('GET', `${path}/overview`)).body;
  expect(overview.service.sleep).toEqual(awake);
  observe({ asleepSince: woke + 1, lastWokeAt: woke, lastWakeMs: 850 });
  await expect.poll(async () => (await shown()).sleep.asleep).toBe(true);
  observe();
  await expect.poll(async () => (await shown()).sleep).toBeNull();
  const told = await env.DB.prepare(
    `select type, trigger, error, (select group_concat(channel_id) from notifications where event_id = id) as channels
      from events where service_id = ? order by rowid`,
  )
    .bind(service.id)
    .all();
  const channels = 'nch_sleepasked0000000';
  expect(told.results).toEqual([
    {
      type: 'service.slept',
      trigger: 'idle',
      error: 'Since 2026-11-21 09:00:00 UTC: nobody had asked for it.',
      channels,
    },
    {
      ...{ type: 'service.woke', trigger: 'request', channels },
      error: 'At 2026-11-21 10:00:00 UTC: a request woke it, and waited for 850 ms.',
    },
    {
      type: 'service.slept',
      trigger: 'idle',
      error: 'Since 2026-11-21 10:00:00 UTC: nobody had asked for it.',
      channels,
    },
    { type: 'service.woke', trigger: 'deployment', error: 'A new version took its place.', channels },
  ]);
});

test.each([
  ['a database', { kind: 'database' as const, repoFullName: 'database:redis' }, 30, 'unsupported'],
  ['a worker', { runtimeMode: 'worker' as const }, 30, 'unsupported'],
  ['a static site', { runtimeMode: 'static' as const }, 30, 'unsupported'],
  ['a service after four minutes', {}, 4, 'invalid_request'],
  ['a service after more than a day', {}, 1_441, 'invalid_request'],
])('%s does not sleep, with the field', async (_what, fields, sleepAfterMinutes, code) => {
  const { id } = await insertService({ ...place, ...fields });
  expect((await patch(id, { sleepAfterMinutes })).body).toMatchObject({
    code,
    error: expect.stringContaining('"sleepAfterMinutes"'),
  });
});

test('a service has volumes or sleeps, whichever comes first', async () => {
  const volumes = (id: string) =>
    call('POST', `/api/services/${id}/volumes`, { token, body: { name: 'data', mountPath: '/data' } });
  const first = await insertService(place);
  expect((await volumes(first.id)).status).toBe(200);
  const refused = await patch(first.id, { sleepAfterMinutes: 30 });
  expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining('"sleepAfterMinutes"')]);
  const second = await insertService(place);
  expect((await patch(second.id, { sleepAfterMinutes: 30 })).status).toBe(200);
  const none = await volumes(second.id);
  expect([none.status, none.body.error]).toEqual([
    409,
    expect.stringContaining('set "sleepAfterMinutes" to null'),
  ]);
});
