/** Services that sleep, through the API: where it is allowed, and what the host is told. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import type { SleepHistory } from '../../../../protocol/observed/sleep-history.ts';
import {
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  testFacts,
} from '../../../support/worker/api.ts';
import { call, liveApp, succeed } from '../../../support/worker/deletions.ts';

const { token } = await insertKey();
const place = { projectId: (await insertProject()).id, runnerId: (await insertRunner()).id };
const patch = (id: string, body: unknown) => call('PATCH', `/api/services/${id}`, { token, body });

test('the minutes are told to the host with the next deployment, and an old one refuses it', async () => {
  const { ask, service, runner: host } = await liveApp();
  const path = `/services/${service.id}`;
  expect((await ask('GET', path)).body.service.sleepAfterMinutes).toBeNull();
  expect((await ask('PATCH', path, { sleepAfterMinutes: 30 })).body.service.sleepAfterMinutes).toBe(30);
  await ask('POST', `${path}/restart`);
  const start = await host.next('start');
  expect((start.spec as DeploySpec).sleepAfterMinutes).toBe(30);
  await succeed(host, start);
  await env.DB.prepare('update runners set facts = ? where id = ?')
    .bind(JSON.stringify({ ...testFacts, sleepsWhenIdle: undefined }), service.runnerId)
    .run();
  const { id } = (await ask('POST', `${path}/deployments`)).body.deployment;
  await expect
    .poll(async () => (await ask('GET', `/deployments/${id}`)).body.deployment)
    .toMatchObject({
      status: 'failed',
      failureMessage: expect.stringContaining('too old for services that sleep'),
    });
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
  observe();
  await expect.poll(async () => (await shown()).sleep).toBeNull();
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
