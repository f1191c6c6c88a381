/** Logs of requests through the API: the setting that asks for them, and searches in them beside the lines of the app. */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { protocolVersion } from '../../../../protocol/frames.ts';
import type { FoundLine, LogSearch } from '../../../../protocol/logs/kept-logs.ts';
import { runners } from '../../../../worker/store/schema/runners.ts';
import { createClient, deps, insertKey, testFacts } from '../../../support/worker/api.ts';
import { answerNames, connectedHost } from '../../../support/worker/domains.ts';
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
  await deps.db.update(runners).set({ facts: testFacts }).where(eq(runners.id, host.runnerId));
  ({ token } = await insertKey());
});

async function answer(lines: FoundLine[], stopped: 'end' | 'lines' = 'end'): Promise<LogSearch> {
  const { id, ask } = await runner.next('request');
  if (ask.op !== 'search-logs') throw new Error(`a ${ask.op} came`);
  const services = ask.search.services.map((one) => ({ serviceId: one.serviceId, from: at, last: at }));
  const value = { lines, services, stopped, scannedBytes: 9 };
  runner.send({ v: protocolVersion, type: 'response', id, outcome: { ok: true, value } });
  return ask.search;
}

const search = (query = '') => call('GET', `/api/services/${serviceId}/runtime-logs${query}`, { token });
const request = (): FoundLine => ({
  ...{ serviceId: `${serviceId}-access`, id: at, stream: 'access', level: 'info', deploymentId: null },
  line: '{"status":200}',
});

test('a search asks for both logs of a service, and a request is a line of that service', async () => {
  const [{ body, text }, asked] = await Promise.all([search(), answer([request()], 'lines')]);
  expect(asked.services.map((one) => one.serviceId)).toEqual([serviceId, `${serviceId}-access`]);
  expect(body.logs).toMatchObject([{ serviceId, stream: 'access', line: '{"status":200}' }]);
  expect(text).not.toContain('-access","');
  const [next, again] = await Promise.all([search(`?cursor=${body.nextCursor}`), answer([])]);
  expect(next.status, next.text).toBe(200);
  expect(again.services).toEqual([
    { serviceId, from: at },
    { serviceId: `${serviceId}-access`, from: at },
  ]);
});

test('a search for lines of the app or for requests reads only that log, and another source is refused', async () => {
  for (const [source, id] of [
    ['app', serviceId],
    ['access', `${serviceId}-access`],
  ] as const) {
    const [, asked] = await Promise.all([search(`?source=${source}`), answer([])]);
    expect(asked.services.map((one) => one.serviceId)).toEqual([id]);
  }
  const refused = await search('?source=other');
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('"source"')]);
});

test('the setting goes to the host at once, is read back, and is off again without it', async () => {
  const { runner: its, service } = await connectedHost();
  const put = (body: object) => call('PUT', `/api/services/${service.id}/traffic-rules`, { token, body });
  const [on, task] = await Promise.all([put({ accessLog: {} }), answerNames(its)]);
  expect(on.body.rules.accessLog).toEqual({ sample: 1 });
  expect(task.rules).toMatchObject({ accessLog: { sample: 1 }, redirects: [] });
  const [sampled] = await Promise.all([put({ accessLog: { sample: 0.1 } }), answerNames(its)]);
  expect(sampled.body.rules.accessLog).toEqual({ sample: 0.1 });
  const [off, last] = await Promise.all([put({ accessLog: null }), answerNames(its)]);
  expect([off.body.rules.accessLog, last.rules]).toEqual([undefined, undefined]);
  const wrong = await put({ accessLog: { sample: 1.5 } });
  expect([wrong.status, wrong.body.error]).toEqual([400, expect.stringContaining('from 0 to 1')]);
});
