/** The stream of changes: what counts as one, whom it is told, and how it is resumed. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createApp } from '../../../../worker/app.ts';
import { changedBetween, marksOf } from '../../../../worker/domain/alerts/change-marks.ts';
import { listChangeMarks } from '../../../../worker/store/alerts/change-mark-store.ts';
import { schedules } from '../../../../worker/store/schema/schedules.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { volumes } from '../../../../worker/store/schema/volumes.ts';
import { applyHostAlerts } from '../../../../worker/usecases/alerts/sync-alerts.ts';
import { createClient, deps, insertKey } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost, type TestHost } from '../../../support/worker/host.ts';
import { parseEvents } from '../../../support/worker/log-reader.ts';

const call = createClient();
let host: TestHost;
let runner: FakeRunner;
let key: Awaited<ReturnType<typeof insertKey>>;
let web: { id: string };
let other: { id: string };

beforeAll(async () => {
  host = await newHost();
  runner = await FakeRunner.connect(host.keys);
  key = await insertKey({ projects: [host.project.id] });
});
beforeEach(async () => {
  web = await host.addService();
  other = await host.addService();
});

const send = async (method: string, path: string, body?: unknown) => {
  const reply = await call(method, path, { token: key.token, ...(body === undefined ? {} : { body }) });
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
};
const seen = async (projectId?: string) => marksOf(await listChangeMarks(deps.db, key.tokenId, projectId));
const open = (path: string, headers: Record<string, string> = {}, token = key.token) =>
  createApp().fetch(
    new Request(`https://longshore.test${path}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    }),
    env,
    createExecutionContext(),
  );
const next = async (reader: ReadableStreamDefaultReader<string> | undefined) => {
  const event = parseEvents((await reader?.read())?.value ?? '')[0];
  return { event: event?.event, id: event?.id ?? '', data: JSON.parse(event?.data ?? 'null') };
};
const reading = (response: Response) => response.body?.pipeThrough(new TextDecoderStream()).getReader();
/** @returns the services that differ after it */
async function changedBy(change: () => Promise<unknown>): Promise<string[] | undefined> {
  const before = await seen(host.project.id);
  await change();
  return changedBetween(before, await seen(host.project.id))?.serviceIds;
}

test('whatever a page shows of a service counts as a change of it, and nothing else does', {
  tags: 'slow',
}, async () => {
  const service = `/api/services/${web.id}`;
  let deployment = { id: '' };
  let variable = { id: '' };
  let volume = { id: '' };
  const nightly = { name: 'report', cron: '0 3 * * *', command: 'true' };
  let schedule = { id: '' };
  const changes: (() => Promise<unknown>)[] = [
    () => send('PATCH', service, { healthCheckPath: '/up' }),
    async () => {
      variable = await send('POST', `${service}/env`, { key: 'A', value: '1' });
    },
    () => send('DELETE', `${service}/env/${variable.id}`),
    () => send('POST', `${service}/domains`, { hostname: 'www.changes.example.com' }),
    async () => {
      const body = { name: 'uploads', mountPath: '/data' };
      ({ volume } = await send('POST', `${service}/volumes`, body));
    },
    () => send('PATCH', `${service}/volumes/${volume.id}`, { sizeMb: 256 }),
    async () => {
      ({ schedule } = await send('POST', `${service}/schedules`, nightly));
    },
    // What cron does at each of its times, also if it starts nothing.
    () => deps.db.update(schedules).set({ nextRunAt: 5 }).where(eq(schedules.id, schedule.id)),
    () => send('DELETE', `${service}/schedules/${schedule.id}`),
    () => deps.db.update(volumes).set({ usedMb: 5 }).where(eq(volumes.id, volume.id)),
    async () => {
      ({ deployment } = await send('POST', `${service}/deployments`));
    },
    async () => {
      const start = await runner.next('start');
      await runner.report(start, { type: 'phase', phase: 'build', facts: {} });
    },
    () => send('POST', `/api/deployments/${deployment.id}/abort`),
    () => applyHostAlerts(deps, host.runnerId, [{ rule: 'memory', serviceId: web.id, detail: '95 %' }]),
    () => applyHostAlerts(deps, host.runnerId, []),
    () => deps.db.update(services).set({ reachable: true }).where(eq(services.id, web.id)),
    () => deps.db.delete(services).where(eq(services.id, web.id)),
  ];
  for (const [n, change] of changes.entries()) expect([n, await changedBy(change)]).toEqual([n, [web.id]]);
  expect(await changedBy(() => send('GET', `/api/services/${other.id}/overview`))).toBeUndefined();
});

test('a project is told of by its name and its first service, and the host by all of its services', async () => {
  const { project } = await call('POST', '/api/projects', {
    token: (await insertKey()).token,
    body: { name: 'Empty of changes' },
  }).then(({ body }) => body);
  const all = await insertKey();
  const look = async () => marksOf(await listChangeMarks(deps.db, all.tokenId, project.id));
  const empty = await look();
  expect([...empty.keys()]).toEqual([project.id]);
  await call('PATCH', `/api/projects/${project.id}`, { token: all.token, body: { description: 'new' } });
  const renamed = await look();
  expect(changedBetween(empty, renamed)).toEqual({ projectIds: [project.id], serviceIds: [] });
  const connected = await seen(host.project.id);
  await runner.disconnect();
  // The hub writes the disconnection after it has answered the close.
  await expect
    .poll(async () => changedBetween(connected, await seen(host.project.id))?.serviceIds)
    .toEqual(expect.arrayContaining([web.id, other.id]));
  runner = await FakeRunner.connect(host.keys);
});

test('the stream begins with its place, tells what another client changed, and resumes after a gap', {
  tags: 'slow',
}, async () => {
  const nothing = { projectIds: [], serviceIds: [] };
  const first = reading(await open(`/api/changes/stream?projectId=${host.project.id}`));
  const current = await next(first);
  expect(current).toMatchObject({ event: 'current', data: nothing });
  await send('POST', `/api/services/${other.id}/env`, { key: 'B', value: '1' });
  const changed = await next(first);
  expect(changed).toMatchObject({
    event: 'changed',
    data: { projectIds: [host.project.id], serviceIds: [other.id] },
  });
  await first?.cancel();
  const path = `/api/changes/stream?projectId=${host.project.id}`;
  const same = reading(await open(path, { 'last-event-id': changed.id }));
  expect(await next(same)).toEqual({ event: 'current', id: changed.id, data: nothing });
  await same?.cancel();
  const late = reading(await open(path, { 'last-event-id': current.id }));
  const missed = await next(late);
  expect(missed).toMatchObject({ event: 'changed', id: changed.id });
  expect(missed.data.serviceIds).toContain(other.id);
  await late?.cancel();
});

test('the stream of a project that is deleted tells so and ends', { tags: 'slow' }, async () => {
  const all = await insertKey();
  const { project } = (
    await call('POST', '/api/projects', { token: all.token, body: { name: 'Short of changes' } })
  ).body;
  const reader = reading(await open(`/api/changes/stream?projectId=${project.id}`, {}, all.token));
  expect(await next(reader)).toMatchObject({ event: 'current' });
  expect((await call('DELETE', `/api/projects/${project.id}`, { token: all.token })).status).toBe(200);
  expect(await next(reader)).toMatchObject({
    event: 'changed',
    data: { projectIds: [project.id], serviceIds: [] },
  });
  expect(await next(reader)).toMatchObject({ event: 'status', data: { ok: false, closed: true } });
  expect(await reader?.read()).toMatchObject({ done: true });
});

test('a key is told nothing of projects that it does not see', async () => {
  const stranger = await newHost();
  const hidden = await stranger.addService();
  expect([...(await seen()).values()].map(({ serviceId }) => serviceId)).not.toContain(hidden.id);
  const path = `/api/changes/stream?projectId=${stranger.project.id}`;
  expect((await call('GET', path, { token: key.token })).status).toBe(404);
});
