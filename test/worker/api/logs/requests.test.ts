/** The request log of a service, with a host that answers as told. */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { protocolVersion } from '../../../../protocol/frames.ts';
import { accessLogOf, type FoundLine } from '../../../../protocol/logs/kept-logs.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { createClient, deps, insertKey } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
const at = 1_790_000_000_000_000;
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

const read = (query = '') => call('GET', `/api/services/${serviceId}/requests${query}`, { token });
const found = (line: string, stream: FoundLine['stream'] = 'access'): FoundLine => ({
  ...{ serviceId: accessLogOf(serviceId), id: at, stream, level: 'info', deploymentId: null, line },
});

async function answer(...lines: FoundLine[]) {
  const { id, ask } = await runner.next('request');
  if (ask.op !== 'search-logs') throw new Error(`a ${ask.op} came`);
  const places = ask.search.services.map((one) => ({ ...one, from: at, last: at }));
  const value = { lines, services: places, stopped: 'end', scannedBytes: 9 };
  runner.send({ v: protocolVersion, type: 'response', id, outcome: { ok: true, value } });
  return ask.search;
}

const line = {
  ...{ level: 'warn', method: 'POST', path: '/api/orders', status: 404, durationMs: 12.5, bytes: 80 },
  ...{ client: '203.0.113.0', host: 'shop.example.com' },
};

test('requests are searched only in the access log, by a pattern of the filters, and answered as fields', async () => {
  const query = '?method=post&path=/api/&status=4xx&slowerThanMs=10&limit=7&order=oldest';
  const [reply, search] = await Promise.all([read(query), answer(found(JSON.stringify(line)))]);
  expect(reply.status, reply.text).toBe(200);
  expect(search).toMatchObject({
    services: [{ serviceId: accessLogOf(serviceId), from: null }],
    ...{ limit: 7, order: 'oldest' },
  });
  expect(new RegExp(search.regex ?? '').test(JSON.stringify(line))).toBe(true);
  const { level: _, ...fields } = line;
  expect(reply.body).toMatchObject({
    requests: [{ id: at, at: new Date(at / 1_000).toISOString(), deploymentId: null, ...fields }],
    accessLog: null,
    stopped: 'end',
  });
});

test('lines that are no requests, and fields of another type, do no harm', async () => {
  const odd = [
    found('5 requests are not here', 'system'),
    found('{'),
    found('null'),
    found('{"status":"x","path":7}'),
  ];
  const [reply] = await Promise.all([read(), answer(...odd)]);
  expect(reply.status, reply.text).toBe(200);
  expect(reply.body.requests).toHaveLength(3);
  expect(reply.body.requests[2]).toMatchObject({ status: 0, path: '', method: '' });
});

test('the answer says whether requests are written at all, and which share of them', async () => {
  const rules = {
    redirects: [],
    basicAuth: null,
    maintenance: null,
    requestHeaders: [],
    responseHeaders: [],
  };
  const trafficRules = {
    ...rules,
    maxBodyMegabytes: null,
    firstByteTimeoutSeconds: null,
    accessLog: { sample: 0.5 },
  };
  await deps.db.update(services).set({ trafficRules }).where(eq(services.id, serviceId));
  const [reply] = await Promise.all([read(), answer()]);
  expect(reply.body).toMatchObject({ requests: [], accessLog: { sample: 0.5 } });
});

test.each([
  ['?status=6xx', 'status'],
  ['?status=x', 'status'],
  ['?path=api', 'path'],
  ['?method=G%22T', 'method'],
  ['?slowerThanMs=-1', 'slowerThanMs'],
  ['?text=a', 'text'],
  ['?cursor=x', 'cursor'],
])('the query %s is refused by name', async (query, name) => {
  const { status, body } = await read(query);
  expect([status, body.error]).toEqual([400, expect.stringContaining(name)]);
});
