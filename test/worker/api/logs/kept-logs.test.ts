/** Searches in kept logs, with a host that answers as told. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { protocolVersion } from '../../../../protocol/frames.ts';
import type { FoundLine, LogSearchAnswer } from '../../../../protocol/logs/kept-logs.ts';
import { createApp } from '../../../../worker/app.ts';
import { jobs } from '../../../../worker/store/schema/jobs.ts';
import { services } from '../../../../worker/store/schema/services.ts';
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
    'refused' in value
      ? value
      : { lines: [], services, stopped: 'end', scannedBytes: 9, scannedLines: 4, ...value };
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
    searched: {
      serviceIds: [serviceId],
      hosts: [{ runnerId: host.runnerId, hostName: expect.any(String) }],
      ...{ since: '2026-11-24T10:00:00.000Z', until: null, lines: 4 },
      reached: new Date(second / 1000).toISOString(),
    },
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
  expect(more).toMatchObject({ order: 'newest', services: [{ serviceId, from: null, after: second + 2 }] });
  expect((await next())?.id).toBe(`${serviceId}:${second + 3}`);
  await reader?.cancel();
  const [resumed, search] = await Promise.all([
    open({ 'last-event-id': `${serviceId}:${second + 3}` }),
    answer({}),
  ]);
  expect(search).toMatchObject({ order: 'newest', services: [{ serviceId, after: second + 3 }] });
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

test('a search in the query language reaches the host with ids of services, and a wrong one is refused at its position', async () => {
  const mail = await host.addService();
  const of = `/api/projects/${host.project.id}/runtime-logs`;
  const query = encodeURIComponent(`refused -service:${mail.slug} level:error status:>=500 OR panic`);
  const [{ status }, search] = await Promise.all([
    call('GET', `${of}?query=${query}`, { token }),
    answer({}),
  ]);
  expect(status).toBe(200);
  expect(search.query).toEqual([
    [
      { kind: 'text', not: false, text: 'refused' },
      { kind: 'service', not: true, services: [mail.id] },
      { kind: 'level', not: false, levels: ['error'] },
      { kind: 'field', not: false, path: 'status', test: '>=', value: '500' },
    ],
    [{ kind: 'text', not: false, text: 'panic' }],
  ]);
  const refusals = {
    'a%20level:loud': 'character 3',
    'service:nobody': 'character 9',
    '%22a': 'character 1',
  };
  for (const [wrong, place] of Object.entries(refusals)) {
    const { status: refused, body } = await call('GET', `${of}?query=${wrong}`, { token });
    expect([refused, body.error]).toEqual([400, expect.stringContaining(place)]);
  }
});

test('a runner that does not know the query language is no reason for wrong lines', async () => {
  const [{ body }] = await Promise.all([
    call('GET', path('?query=a'), { token }),
    answer({ lines: [line(1)], scannedLines: undefined } as Answer),
  ]);
  expect(body.error).toContain('update its runner');
});

test('a host that is away is named, and the lines of the other host are found', async () => {
  const away = await newHost();
  await deps.db
    .update(services)
    .set({ projectId: host.project.id })
    .where(eq(services.id, (await away.addService()).id));
  const of = `/api/projects/${host.project.id}/runtime-logs`;
  const [{ body }] = await Promise.all([
    call('GET', `${of}?source=app`, { token }),
    answer({ lines: [line(1)] }),
  ]);
  expect(body.logs).toHaveLength(1);
  expect(body.searched.hosts).toEqual([
    { runnerId: host.runnerId, hostName: expect.any(String) },
    {
      ...{ runnerId: away.runnerId, hostName: expect.any(String) },
      reason: expect.stringContaining('not connected'),
    },
  ]);
});

test('lines are counted by level in parts of a range, and the answer says where counting goes on', async () => {
  const range = 'since=2026-11-24T10:00:00Z&until=2026-11-24T11:00:00Z&buckets=6';
  const [{ body }, search] = await Promise.all([
    call('GET', path(`/histogram?${range}&query=level:error`), { token }),
    answer({ histogram: [{ bucket: 2, levels: { error: 3, none: 1 } }], stopped: 'bytes' }),
  ]);
  expect(search).toMatchObject({ buckets: 6, order: 'newest', query: [[{ kind: 'level' }]] });
  expect(body).toMatchObject({
    bucketMs: 600_000,
    buckets: [{ at: '2026-11-24T10:20:00.000Z', levels: { error: 3, none: 1 } }],
    ...{ stopped: 'bytes', nextCursor: `${serviceId}:${second}` },
  });
  const wrong = path('/histogram?until=2026-11-24T10:00:00Z&since=2026-11-24T11:00:00Z');
  expect((await call('GET', wrong, { token })).body.error).toContain('"until"');
});

test('the lines around a line come from both of its sides, whatever they contain', async () => {
  const [{ body }, older, newer] = await Promise.all([
    call('GET', path(`/around?line=${second + 5}&before=2&after=1`), { token }),
    answer({ lines: [line(4), line(3)], stopped: 'lines' }),
    answer({ lines: [line(5), line(6)] }),
  ]);
  expect([older, newer]).toMatchObject([
    { order: 'newest', services: [{ serviceId, from: second + 5 }], limit: 2 },
    { order: 'oldest', services: [{ serviceId, from: second + 4 }], limit: 2 },
  ]);
  expect(body.logs.map((entry: FoundLine) => entry.id - second)).toEqual([3, 4, 5, 6]);
  expect(body).toMatchObject({ hasBefore: true, hasAfter: false });
});

test('a followed search that gets more than a reader is sent says how many lines it left out', async () => {
  const opened = createApp().fetch(
    new Request(`https://longshore.test${path('/follow?lines=0')}`, {
      headers: { authorization: `Bearer ${token}` },
    }),
    env,
    createExecutionContext(),
  );
  const [response] = await Promise.all([opened, answer({})]);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const next = async () => parseEvents((await reader?.read())?.value ?? '');
  expect((await next())[0]?.event).toBe('lines');
  const services = [{ serviceId, from: second + 8, last: second + 9_000 }];
  const rest = { lines: 8_998, isComplete: true };
  const asked = await answer({ lines: [line(9_000), line(8_999)], services, stopped: 'lines', rest });
  expect(asked).toMatchObject({
    ...{ order: 'newest', countRest: true },
    services: [{ serviceId, from: null, after: second }],
  });
  const [state, lines] = await next();
  expect(JSON.parse(state?.data ?? '')).toEqual({
    ...{ skippedLines: 8_998, isExact: true, behindMs: 0, hostsAway: [] },
  });
  expect(lines?.id).toBe(`${serviceId}:${second + 9_000}`);
  expect(JSON.parse(lines?.data ?? '')).toHaveLength(2);
  await reader?.cancel();
});

test('a followed search with few matches in much output leaves none out, and says how far it is behind', async () => {
  const opened = createApp().fetch(
    new Request(`https://longshore.test${path('/follow?lines=0&query=rare')}`, {
      headers: { authorization: `Bearer ${token}`, 'last-event-id': `${serviceId}:${second}` },
    }),
    env,
    createExecutionContext(),
  );
  const unfinished: Answer = { lines: [], stopped: 'time', rest: { lines: 0, isComplete: false } };
  const services = [{ serviceId, from: second + 100, last: second + 9_000 }];
  const [response, , oldest] = await Promise.all([
    opened,
    answer(unfinished),
    answer({ lines: [line(50)], stopped: 'time', services }),
  ]);
  expect(oldest).toMatchObject({ order: 'oldest', services: [{ serviceId, from: second }] });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const [state, lines] = parseEvents((await reader?.read())?.value ?? '');
  expect(JSON.parse(state?.data ?? '')).toMatchObject({ skippedLines: 0, behindMs: expect.any(Number) });
  expect(lines?.id).toBe(`${serviceId}:${second + 100}`);
  await reader?.cancel();
});
