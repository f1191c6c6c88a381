/** Logs of requests: beside the lines of the app, with a share of their own, whatever a flood of requests does. */
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { accessLogOf, type LogSearch } from '../../../protocol/logs/kept-logs.ts';
import { AccessLogs } from '../../../runner/kept-logs/access-logs.ts';
import { LogSearches } from '../../../runner/kept-logs/search/log-searches.ts';
import { listSegments } from '../../../runner/kept-logs/segment-files.ts';
import { KeptHost, serviceId } from '../../support/runner/kept-host.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const requestsId = accessLogOf(serviceId);
const route = { serviceId, deploymentId: 'dep_a', accessLog: { sample: 1 } };
const megabyte = 1e6;

const bytesOf = (host: KeptHost, id: string) =>
  listSegments(host.logs.directoryOf(id)).reduce((sum, { bytes }) => sum + bytes, 0);

function stage(parts: ConstructorParameters<typeof KeptHost>[1] = {}, random?: () => number) {
  const host = new KeptHost(temporaryDirectory(), parts);
  onTestFinished(() => host.keeper.stop());
  const logs = new AccessLogs(host.logs, host.clock, random);
  const searches = new LogSearches(host.logs, { ms: 60_000 });
  const request = (fields: Partial<Parameters<AccessLogs['take']>[1]> = {}) => ({
    ...{ host: 'Shop.example.com', method: 'GET', uri: '/cart', network: '203.0.113.0', bytes: 12 },
    ...{ status: 200, milliseconds: 4.56789, at: host.clock.now() * 1_000 },
    ...fields,
  });
  const search = async (fields: Partial<LogSearch> = {}) => {
    const services = [serviceId, requestsId].map((id) => ({ serviceId: id, from: null }));
    const answer = await searches.answer({ services, order: 'oldest', limit: 1_000, ...fields });
    if ('refused' in answer) throw new Error(answer.reason);
    return answer.lines;
  };
  return { host, logs, request, search };
}

test('a request is a line of JSON in the order of the lines of the app, found by field, level and deployment', async () => {
  const { host, logs, request, search } = stage();
  host.run('a');
  host.print('a', ['before']);
  await host.settle();
  logs.take(route, request());
  logs.take(route, request({ status: 502, uri: `/${'x'.repeat(900)}`, method: 'M'.repeat(90) }));
  logs.flush();
  await host.clock.advance(10);
  host.print('a', ['after']);
  await host.settle();
  const lines = await search();
  expect(
    lines.map(({ stream, line }) => [stream, stream === 'access' ? JSON.parse(line).status : line]),
  ).toEqual([
    ['system', 'The container starts, of deployment dep_a.'],
    ['stdout', 'before'],
    ['access', 200],
    ['access', 502],
    ['stdout', 'after'],
  ]);
  expect(JSON.parse(lines[2]?.line ?? '')).toEqual({
    ...{ level: 'info', method: 'GET', path: '/cart', status: 200, durationMs: 4.57, bytes: 12 },
    ...{ client: '203.0.113.0', host: 'shop.example.com' },
  });
  expect(lines[3]).toMatchObject({ level: 'error', deploymentId: 'dep_a' });
  expect(lines[3]?.line.length).toBeLessThan(700);
  expect(await search({ fields: [{ path: 'status', value: '502' }] })).toHaveLength(1);
  expect(await search({ levels: ['error'] })).toHaveLength(1);
});

test('a service without a log of requests has none, and a sample is the part that was asked for', async () => {
  let turn = 0;
  const { logs, request, search } = stage({}, () => (turn++ % 10) / 10);
  logs.take({ serviceId, deploymentId: 'dep_a' }, request());
  logs.take({ ...route, accessLog: { sample: 0 } }, request());
  logs.flush();
  expect(await search()).toEqual([]);
  turn = 0;
  for (let n = 0; n < 100; n++) logs.take({ ...route, accessLog: { sample: 0.3 } }, request());
  logs.flush();
  expect(await search()).toHaveLength(30);
});

test('more requests than a thousand a second are counted and not written', async () => {
  const { logs, request, search } = stage();
  for (let n = 0; n < 10_250; n++) logs.take(route, request());
  logs.flush();
  const [last] = await search({ order: 'newest', limit: 1 });
  expect(last).toMatchObject({ stream: 'system', line: '250 requests are not here: too many came at once.' });
});

test('a flood of requests keeps to its share', { tags: 'slow' }, async () => {
  const limits = { serviceBytes: 16 * megabyte, totalBytes: 1e9, ageMs: 30 * 86_400_000 };
  const { host, logs, request, search } = stage({ limits });
  host.run('a');
  host.print('a', ['the first line of the app']);
  await host.settle();
  for (let round = 0; round < 6; round++) {
    for (let n = 0; n < 8_000; n++)
      logs.take(route, request({ uri: `/${randomBytes(360).toString('base64url')}` }));
    logs.flush();
    await host.logs.tidy();
  }
  // A quarter of 16 MB is less than the least: two segments, and the one that is written.
  expect(bytesOf(host, requestsId)).toBeLessThan(13 * megabyte);
  expect(bytesOf(host, requestsId)).toBeGreaterThan(megabyte);
  expect(await search({ text: 'first line of the app' })).toHaveLength(1);
  host.logs.remove(serviceId);
  expect(bytesOf(host, requestsId)).toBe(0);
});

test('when all logs together are too large, older lines of the app stay and requests go', async () => {
  const limits = { serviceBytes: 100 * megabyte, totalBytes: 20_000, ageMs: 30 * 86_400_000 };
  const { host, logs, request, search } = stage({ limits });
  const dayMs = 86_400_000;
  for (const word of ['first', 'second']) {
    host.run(word);
    host.print(word, [`the ${word} line of the app`]);
    await host.settle();
    for (let n = 0; n < 100; n++)
      logs.take(route, request({ uri: `/${word}/${randomBytes(300).toString('base64url')}` }));
    logs.flush();
    await host.clock.advance(dayMs + 1_000);
    for (const id of [serviceId, requestsId]) host.logs.of(id).rotate(host.clock.now());
  }
  await host.logs.tidy();
  expect(await search({ text: 'line of the app' })).toHaveLength(2);
  expect(await search({ text: '/first/' })).toEqual([]);
});

test('a disk without room loses requests, and no more than those', async () => {
  const { host, logs, request, search } = stage({ readSpace: () => ({ freeBytes: 0, totalBytes: 1e12 }) });
  logs.take(route, request());
  logs.flush();
  expect(await search()).toEqual([]);
  expect(host.logs.lastIdOf(requestsId)).toBe(0);
});
