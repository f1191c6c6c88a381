/** Searches in kept logs, with a host that answers as told. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { protocolVersion } from '../../../../protocol/frames.ts';
import type { FoundLine, LogSearchAnswer } from '../../../../protocol/logs/kept-logs.ts';
import { createApp } from '../../../../worker/app.ts';
import { jobs } from '../../../../worker/store/schema/jobs.ts';
import { createClient, deps, insertKey } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost, type TestHost } from '../../../support/worker/host.ts';
import { parseEvents } from '../../../support/worker/log-reader.ts';

const call = createClient();
const second = 1_790_000_000_000_000;

let host: TestHost;
let runner: FakeRunner;
let serviceId: string;
let token: string;

beforeEach(async () => {
  host = await newHost();
  serviceId = (await host.addService()).id;
  runner = await FakeRunner.connect(host.keys);
  ({ token } = await insertKey({ access: 'read' }));
});

const line = (n: number, of = serviceId): FoundLine => ({
  ...{ serviceId: of, id: second + n, stream: 'stdout', level: 'error', deploymentId: null },
  line: `line ${n}`,
});

type Answer = Partial<Exclude<LogSearchAnswer, { refused: unknown }>>;

/** Answers the next search. @param by the host that is asked @returns it */
async function answer(value: Answer | LogSearchAnswer, by = runner) {
  const { id, ask } = await by.next('request');
  if (ask.op !== 'search-logs') throw new Error(`a ${ask.op} came`);
  const services = ask.search.services.map(({ serviceId: of }) => ({
    serviceId: of,
    from: second,
    last: second,
  }));
  const whole =
    'refused' in value ? value : { lines: [], services, stopped: 'end', scannedBytes: 9, ...value };
  by.send({ v: protocolVersion, type: 'response', id, outcome: { ok: true, value: whole } });
  return ask.search;
}

/** Without the log of requests (access-logs.test.ts). */
const path = (query = '') =>
  `/api/services/${serviceId}/runtime-logs${query}${query.includes('?') ? '&' : '?'}source=app`;

test('a search carries its filters to the host, and its answer the lines and the place where it goes on', async () => {
  const query =
    '?text=a%20b&regex=x%2B&level=warn&field.status=500&field.user.id=7&since=2026-11-24T10:00:00Z&order=oldest&limit=5';
  const [{ body }, search] = await Promise.all([
    call('GET', path(query), { token }),
    answer({ lines: [line(1)], stopped: 'bytes', scannedBytes: 64 }),
  ]);
  expect(search).toEqual({
    services: [{ serviceId, from: null }],
    ...{ text: 'a b', regex: 'x+', levels: ['warn', 'error', 'fatal'], order: 'oldest', limit: 5 },
    fields: [
      { path: 'status', value: '500' },
      { path: 'user.id', value: '7' },
    ],
    since: Date.parse('2026-11-24T10:00:00Z') * 1000,
  });
  expect(body).toEqual({
    logs: [
      {
        ...line(1),
        createdAt: new Date((second + 1) / 1000).toISOString(),
      },
    ],
    nextCursor: `${serviceId}:${second}`,
    stopped: 'bytes',
    scannedBytes: 64,
  });
  const [, next] = await Promise.all([
    call('GET', path(`?cursor=${body.nextCursor}`), { token }),
    answer({}),
  ]);
  expect(next.services).toEqual([{ serviceId, from: second }]);
});

test('several services of a project are searched together, by slug or id; a site has no output, and a stranger is refused', async () => {
  const worker = await host.addService();
  const site = await host.addService({ runtimeMode: 'static' });
  const foreign = await (await newHost()).addService();
  const of = `/api/projects/${host.project.id}/runtime-logs?source=app`;
  const [{ status }, search] = await Promise.all([call('GET', of, { token }), answer({})]);
  expect(status).toBe(200);
  expect(search.services.map((one) => one.serviceId)).toEqual([serviceId, worker.id]);
  const [, one] = await Promise.all([call('GET', `${of}&services=${worker.slug}`, { token }), answer({})]);
  expect(one.services.map((asked) => asked.serviceId)).toEqual([worker.id]);
  expect((await call('GET', `${of}&services=${site.id}`, { token })).body.logs).toEqual([]);
  const refused = await call('GET', `${of}&services=${foreign.id}`, { token });
  expect(refused.body).toMatchObject({
    code: 'invalid_request',
    error: expect.stringContaining('"services"'),
  });
});

test.each([
  ['?field.=1', '"field."'],
  ['?fields=1', '"fields"'],
  [
    '?level=loud',
    'The query parameter "level" must be one of "trace", "debug", "info", "warn", "error" or "fatal".',
  ],
  ['?since=yesterday', '"since"'],
  ['?text=', '"text"'],
  ['?cursor=svc_0000000000000000:1', '"cursor"'],
])('the query %s is refused by name', async (query, name) => {
  const { status, body } = await call('GET', path(query), { token });
  expect([status, body.error]).toEqual([400, expect.stringContaining(name)]);
});

test('what the host refuses has an error with the way out', async () => {
  const [invalid] = await Promise.all([
    call('GET', path('?regex=('), { token }),
    answer({ refused: 'invalid', reason: 'missing )' }),
  ]);
  expect(invalid).toMatchObject({ status: 400, body: { error: expect.stringContaining('"regex"') } });
  const [busy] = await Promise.all([
    call('GET', path(), { token }),
    answer({ refused: 'busy', reason: 'busy' }),
  ]);
  expect(busy.status).toBe(429);
});

test('a followed search begins with the past, goes on after it, and resumes by Last-Event-ID', async () => {
  const open = (headers: Record<string, string> = {}) =>
    createApp().fetch(
      new Request(`https://longshore.test${path('/follow?text=line&lines=2')}`, {
        headers: { authorization: `Bearer ${token}`, ...headers },
      }),
      env,
      createExecutionContext(),
    );
  const [response, past] = await Promise.all([open(), answer({ lines: [line(2), line(1)] })]);
  expect(past).toMatchObject({ order: 'newest', limit: 2, text: 'line' });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const next = async () => parseEvents((await reader?.read())?.value ?? '')[0];
  const first = await next();
  expect(first?.event).toBe('lines');
  expect(JSON.parse(first?.data ?? '').map((entry: FoundLine) => entry.line)).toEqual(['line 1', 'line 2']);
  const services = [{ serviceId, from: second + 3, last: second + 3 }];
  const more = await answer({ lines: [line(3)], services });
  expect(more).toMatchObject({ order: 'oldest', services: [{ serviceId, from: second + 2 }] });
  expect((await next())?.id).toBe(`${serviceId}:${second + 3}`);
  await reader?.cancel();
  const [resumed, search] = await Promise.all([
    open({ 'last-event-id': `${serviceId}:${second + 3}` }),
    answer({}),
  ]);
  expect(search).toMatchObject({ order: 'oldest', services: [{ serviceId, from: second + 3 }] });
  await resumed.body?.cancel();
});

const worked = (runnerId: string, finishedAt: number) => ({
  ...{ id: deps.newId('job'), kind: 'deploy' as const, serviceId, runnerId, state: 'succeeded' as const },
  ...{ epoch: 1, queuedAt: finishedAt, finishedAt },
});

test('a search of everything names the hosts that are away and have older lines of a service that has moved', async () => {
  const old = await newHost();
  const now = Date.now();
  const day = 24 * 3_600_000;
  const search = async (query = '', stopped: 'end' | 'bytes' = 'end') => {
    const [{ body }] = await Promise.all([call('GET', path(query), { token }), answer({ stopped })]);
    return body.earlierHosts;
  };
  await deps.db
    .insert(jobs)
    .values([worked(old.runnerId, now - 90 * day), worked(host.runnerId, now - 2 * day)]);
  expect(await search()).toEqual([{ serviceId, runnerId: old.runnerId, hostName: expect.any(String) }]);
  expect(await search('', 'bytes')).toBeUndefined();
  expect(await search(`?since=${new Date(now - day).toISOString()}`)).toBeUndefined();
  await deps.db
    .update(jobs)
    .set({ finishedAt: now - 80 * day })
    .where(eq(jobs.runnerId, host.runnerId));
  expect(await search()).toBeUndefined();
});

test('a search reads the older lines of a service that has moved on the host that it has left, in one order', async () => {
  const old = await newHost();
  const oldRunner = await FakeRunner.connect(old.keys);
  const [now, day] = [Date.now(), 24 * 3_600_000];
  await deps.db
    .insert(jobs)
    .values([worked(old.runnerId, now - 5 * day), worked(host.runnerId, now - 2 * day)]);
  const there = `${serviceId}@${old.runnerId}`;
  // The new host has not read everything yet: what the old one has found is older, and waits.
  const reached = [{ serviceId, from: second + 500, last: second + 900 }];
  const [first, ...asked] = await Promise.all([
    call('GET', path(), { token }),
    answer({ lines: [line(900)], services: reached, stopped: 'bytes' }),
    answer({ lines: [line(20), line(10)] }, oldRunner),
  ]);
  expect(asked.map(({ services }) => services)).toEqual([
    [{ serviceId, from: null }],
    [{ serviceId, from: null }],
  ]);
  expect(first.body).toMatchObject({ stopped: 'bytes', logs: [{ line: 'line 900' }] });
  expect(first.body.nextCursor).toBe(`${serviceId}:${second + 500},${there}:${second + 21}`);
  const [next, , again] = await Promise.all([
    call('GET', path(`?cursor=${first.body.nextCursor}`), { token }),
    answer({ lines: [line(400)] }),
    answer({ lines: [line(20), line(10)] }, oldRunner),
  ]);
  expect(again.services).toEqual([{ serviceId, from: second + 21 }]);
  expect(next.body.logs.map((entry: FoundLine) => entry.line)).toEqual(['line 400', 'line 20', 'line 10']);
  expect(next.body).toMatchObject({ stopped: 'end' });
  expect(next.body.earlierHosts).toBeUndefined();
});

test('a host that a service has left and that is busy is no reason to show nothing, and its place is kept', async () => {
  const old = await newHost();
  const oldRunner = await FakeRunner.connect(old.keys);
  const now = Date.now();
  await deps.db.insert(jobs).values([worked(old.runnerId, now - 2), worked(host.runnerId, now - 1)]);
  const there = `${serviceId}@${old.runnerId}`;
  const [{ body }] = await Promise.all([
    call('GET', path(`?cursor=${serviceId}:${second + 9},${there}:${second + 5}`), { token }),
    answer({ lines: [line(8)], stopped: 'lines' }),
    answer({ refused: 'busy', reason: 'busy' }, oldRunner),
  ]);
  expect(body).toMatchObject({ logs: [{ line: 'line 8' }], stopped: 'lines' });
  expect(body.nextCursor).toBe(`${there}:${second + 5},${serviceId}:${second}`);
});
