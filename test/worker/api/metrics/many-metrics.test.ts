/** Metrics of all services that a key sees: what hosts are asked, and what is said of those that do not answer. */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { type ManyMetricsAnswer, manyServices } from '../../../../protocol/metrics/series.ts';
import { runners } from '../../../../worker/store/schema/runners.ts';
import { testFacts } from '../../../support/test-facts.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertService,
  insertTenant,
  type Json,
} from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
let host: TestHost;
let projectId: string;
let token: string;
let tenants = 0;

beforeEach(async () => {
  const tenantId = await insertTenant(`measured ${++tenants}`);
  host = await newHost({ shared: true });
  projectId = (await insertProject({ tenantId })).id;
  token = (await insertKey({ tenantId, access: 'read' })).token;
});

const addService = () => insertService({ projectId, runnerId: host.runnerId });
const read = (query = '', as = token) => call('GET', `/api/metrics${query}`, { token: as });

/** Answers one question: the first service has values. @returns what was asked */
async function answer(
  runner: FakeRunner,
  change: (answer: ManyMetricsAnswer) => unknown = (one) => one,
): Promise<Json> {
  const { id, ask } = await runner.next('request');
  if (ask.op !== 'many-metrics') throw new Error(`asked for ${ask.op}`);
  const { from, stepSeconds, points, series, serviceIds } = ask;
  const values = series.map((_, at) => new Array<number>(points).fill(at + 1));
  const value = change({ from, stepSeconds, services: [{ serviceId: serviceIds[0] ?? '', values }] });
  runner.send({ v: 1, type: 'response', id, outcome: { ok: true, value } });
  return ask;
}

test('requests and errors of the last hour of all services are read by one question to their host', async () => {
  const first = await addService();
  const second = await addService();
  const runner = await FakeRunner.connect(host.keys);
  const [reply, ask] = await Promise.all([read(), answer(runner)]);
  expect(reply.status, reply.text).toBe(200);
  expect(ask).toMatchObject({
    serviceIds: [first.id, second.id],
    series: ['requests', 'errors'],
    stepSeconds: 60,
  });
  expect(ask.points).toBeLessThanOrEqual(61);
  expect(reply.body.services).toEqual([
    {
      serviceId: first.id,
      values: { requests: new Array(ask.points).fill(1), errors: new Array(ask.points).fill(2) },
    },
  ]);
  expect(reply.body).toMatchObject({ stepSeconds: 60, missing: [], isCut: false });
});

test('a key without services gets an empty answer, and no host is asked', async () => {
  const reply = await read();
  expect([reply.status, reply.body.services, reply.body.missing]).toEqual([200, [], []]);
});

test('only services of the chosen project and of projects of the key are asked for', async () => {
  await addService();
  const other = await insertProject({ tenantId: await insertTenant(`other ${tenants}`) });
  await insertService({ projectId: other.id, runnerId: host.runnerId });
  const elsewhere = await read(`?projectId=${other.id}`);
  expect([elsewhere.status, elsewhere.body.services, elsewhere.body.missing]).toEqual([200, [], []]);
});

test('services of a host that is away, or too old, are named with the reason', async () => {
  const service = await addService();
  const away = await read();
  expect(away.body.missing).toEqual([
    { hostName: 'host', reason: expect.stringContaining('not connected'), serviceIds: [service.id] },
  ]);
  const { manyMetrics: _, ...facts } = testFacts;
  await deps.db
    .update(runners)
    .set({ facts: facts as typeof testFacts })
    .where(eq(runners.id, host.runnerId));
  const old = await read();
  expect(old.body.missing[0].reason).toBe('The runner of host is too old: upgrade the host.');
});

test.each<[string, (one: ManyMetricsAnswer) => unknown]>([
  [
    'about a service of somebody else',
    (one) => ({ ...one, services: [{ ...one.services[0], serviceId: 'svc_0000000000000000' }] }),
  ],
  [
    'of another length',
    (one) => ({ ...one, services: one.services.map((own) => ({ ...own, values: [[], []] })) }),
  ],
  ['of another time', (one) => ({ ...one, from: one.from + 1 })],
  ['that is none', () => 'metrics'],
])('an answer %s is not passed on', async (_, change) => {
  await addService();
  const runner = await FakeRunner.connect(host.keys);
  const [reply] = await Promise.all([read(), answer(runner, change)]);
  expect([reply.status, reply.body.services]).toEqual([200, []]);
  expect(reply.body.missing[0].reason).toBe('The answer of host was not understood: upgrade the host.');
});

test('so many services that one answer would be too large are asked for in parts', async () => {
  const count = 1 + Math.floor(manyServices.numbersMax / (14 * 61));
  for (let n = 0; n < count; n++) await addService();
  const runner = await FakeRunner.connect(host.keys);
  const all =
    'cpu,memory,networkIn,networkOut,diskRead,diskWrite,diskUsed,requests,errors,latencyP50,latencyP99,connections,restarts,outOfMemory';
  const range = 'from=2026-01-01T00:00:00Z&to=2026-01-01T05:05:00Z&step=300';
  const [reply, one, two] = await Promise.all([
    read(`?${range}&series=${all}`),
    answer(runner),
    answer(runner),
  ]);
  expect(reply.status, reply.text).toBe(200);
  expect(one.serviceIds.length + two.serviceIds.length).toBe(count);
  expect(one.serviceIds.length * one.points * 14).toBeLessThanOrEqual(manyServices.numbersMax);
});

test.each([
  ['?step=10', 'at most 180 steps'],
  ['?projectId=x', 'projectId'],
  ['?series=cpu,__proto__', 'series'],
])('the query %s is refused by name', async (query, word) => {
  const reply = await read(query);
  expect(reply.status).toBe(400);
  expect(reply.body.error).toContain(word);
});
