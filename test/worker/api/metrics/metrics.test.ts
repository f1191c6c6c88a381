/** Reading metrics: who may, what the host is asked, and what is said when it can't answer. */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { type MetricsAnswer, newerSeries, seriesNames } from '../../../../protocol/metrics/series.ts';
import { runners } from '../../../../worker/store/schema/runners.ts';
import { testFacts } from '../../../support/test-facts.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertTenant,
  operatorToken,
} from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
let host: TestHost;
let serviceId: string;
let token: string;

beforeEach(async () => {
  host = await newHost();
  serviceId = (await host.addService()).id;
  token = (await insertKey({ access: 'read' })).token;
});

const read = (query = '', as = token) =>
  call('GET', `/api/services/${serviceId}/metrics${query}`, { token: as });
const readHost = (query = '') =>
  call('GET', `/api/system/runners/${host.runnerId}/metrics${query}`, { token: operatorToken });

/** Answers one question about metrics. @returns what was asked */
async function answer(runner: FakeRunner, change: (answer: MetricsAnswer) => unknown = (one) => one) {
  const { id, ask } = await runner.next('request');
  if (ask.op !== 'metrics') throw new Error(`asked for ${ask.op}`);
  const { from, stepSeconds, points, series } = ask;
  const values = (first: number) => Array.from({ length: points }, (_, at) => (at === 0 ? null : first));
  const value = change({
    ...{ from, stepSeconds, lastAt: deps.now() - 7_000, limits: { cpu: 1.5, memory: null, disk: null } },
    series: series.map((name) => ({ name, average: values(1), maximum: values(2) })),
  });
  runner.send({ v: 1, type: 'response', id, outcome: { ok: true, value } });
  return ask;
}

test('the host is asked for the steps and series of the request, and its answer is passed on with its age', async () => {
  const runner = await FakeRunner.connect(host.keys);
  const [reply, ask] = await Promise.all([
    read('?from=2026-01-01T00:00:00Z&to=2026-01-01T01:00:00Z&step=900&series=memory,cpu,memory'),
    answer(runner),
  ]);
  const from = Date.parse('2026-01-01T00:00:00Z');
  expect(ask).toEqual({
    op: 'metrics',
    serviceId,
    from,
    stepSeconds: 900,
    points: 4,
    series: ['memory', 'cpu'],
  });
  expect(reply.status, reply.text).toBe(200);
  expect(reply.body.metrics).toMatchObject({
    ...{ from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T01:00:00.000Z', stepSeconds: 900 },
    limits: { cpu: 1.5, memory: null, disk: null },
    series: [
      { name: 'memory', unit: 'bytes', average: [null, 1, 1, 1], maximum: [null, 2, 2, 2] },
      { name: 'cpu', unit: 'cores' },
    ],
  });
  expect(reply.body.metrics.ageSeconds).toBeGreaterThanOrEqual(7);
});

test('the operator reads the metrics of a host, all series of the last hour by default', async () => {
  const runner = await FakeRunner.connect(host.keys);
  const [reply, ask] = await Promise.all([readHost(), answer(runner)]);
  expect(reply.status, reply.text).toBe(200);
  expect(ask).toMatchObject({ serviceId: null, stepSeconds: 10 });
  expect(reply.body.metrics.series.length).toBe(ask.series.length);
  expect(reply.body.metrics.series[0].average.length).toBeGreaterThanOrEqual(360);
});

test("a key reads its own services only, and no key reads a host's metrics", async () => {
  const other = await insertKey({ tenantId: await insertTenant('other') });
  const elsewhere = await insertKey({ projects: [(await insertProject()).id] });
  for (const key of [other, elsewhere]) expect((await read('', key.token)).status).toBe(404);
  const path = `/api/system/runners/${host.runnerId}/metrics`;
  expect((await call('GET', path, { token })).status).toBe(403);
});

test.each([
  ['?from=yesterday', 'from'],
  ['?step=0', 'step'],
  ['?step=99999999999999999999', 'step'],
  ['?step=1e3', 'step'],
  ['?series=cpu,__proto__', 'series'],
  ['?series=', 'series'],
  ['?from=0001-01-01T00:00:00Z', 'at most 1500 steps'],
  ['?from=2030-01-01T00:00:00Z', 'before now'],
  ['?serviceId=svc_0123456789abcdef', 'serviceId'],
])('the query %s is refused by name, and the host is not asked', async (query, word) => {
  const reply = await read(query);
  expect(reply.status).toBe(400);
  expect(reply.body.error).toContain(word);
});

test('a host that is away is named with the time since when it is', async () => {
  await deps.db
    .update(runners)
    .set({ connectedAt: null, disconnectedAt: deps.now() - 120_000 })
    .where(eq(runners.id, host.runnerId));
  const reply = await read();
  expect([reply.status, reply.body.code]).toEqual([503, 'runner_offline']);
  expect(reply.body.error).toMatch(/^The host "host" is not connected since 20\S+Z \(12\d s ago\)\./);
});

test.each([
  [
    'of another length',
    (one: MetricsAnswer) => ({ ...one, series: one.series.map((own) => ({ ...own, average: [] })) }),
  ],
  ['of other series', (one: MetricsAnswer) => ({ ...one, series: one.series.toReversed() })],
  ['of another time', (one: MetricsAnswer) => ({ ...one, from: one.from + 1 })],
  ['with a time that is none', (one: MetricsAnswer) => ({ ...one, lastAt: 8e15 })],
  ['that is none', () => 'metrics'],
])('an answer %s is refused', async (_, change) => {
  const runner = await FakeRunner.connect(host.keys);
  const [reply] = await Promise.all([read(), answer(runner, change)]);
  expect([reply.status, reply.body.code]).toEqual([503, 'unavailable']);
});

test('a host of the release before is not asked for what it does not measure', async () => {
  const { manyMetrics: _, ...facts } = testFacts;
  const runner = await FakeRunner.connect(host.keys);
  await deps.db
    .update(runners)
    .set({ facts: facts as typeof testFacts })
    .where(eq(runners.id, host.runnerId));
  const [reply, ask] = await Promise.all([read(), answer(runner)]);
  expect(reply.status, reply.text).toBe(200);
  expect(ask.series).toEqual(seriesNames.filter((name) => !newerSeries.includes(name)));
  const none = await read('?series=latencyP95,status4xx');
  expect([none.status, none.body.error]).toEqual([
    503,
    'The runner of host is too old to measure this: upgrade the host.',
  ]);
});
