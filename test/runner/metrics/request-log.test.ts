/** Counting requests from the proxy's log: whose they are, and what an odd or a rotated log does. */
import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { noRequests, RequestLog } from '../../../runner/metrics/request-log.ts';
import type { Route } from '../../../runner/proxy/traffic.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const route = (serviceId: string, hostnames: string[], hostPort: number): Route => ({
  ...{ serviceId, hostnames, hostPort, deploymentId: 'dep' },
  target: { type: 'container', address: '10.0.0.2', port: 80 },
});
const routes = [
  route('svc_web', ['web.example.com', 'www.example.com'], 41_000),
  route('svc_api', ['api.example.com'], 41_001),
];

const line = (host: string, status = 200, duration = 0.01, server = 'counted') =>
  `${JSON.stringify({ level: 'info', logger: `http.log.access.${server}`, request: { host }, duration, status })}\n`;
const portLine = (host: string) => line(host, 200, 0.01, 'ports');

function stage(content = '') {
  const path = join(temporaryDirectory(), 'requests.log');
  writeFileSync(path, content);
  const log = new RequestLog(path);
  onTestFinished(() => log.close());
  const count = () =>
    Object.fromEntries(
      [...log.count(routes)].map(([id, { durations, errors }]) => [id, [durations.total, errors]]),
    );
  return { path, log, count };
}

test('requests are counted for the service of their name or port, in any spelling of the Host header', () => {
  const { path, count } = stage(line('web.example.com'));
  for (const host of ['web.example.com', 'WWW.Example.com', 'web.example.com:8443', 'web.example.com.'])
    appendFileSync(path, line(host));
  for (const host of ['127.0.0.1:41000', 'localhost:41000']) appendFileSync(path, portLine(host));
  appendFileSync(path, line('api.example.com', 502) + line('api.example.com', 404));
  // Names that nobody has, and a port that a visitor only says.
  appendFileSync(path, line('evil.example.org') + portLine('203.0.113.7:41000') + line(''));
  // A stranger says the port of a service at the port of the web.
  appendFileSync(path, line('127.0.0.1:41000') + line('localhost:41001', 502));
  expect(count()).toEqual({ svc_web: [6, 0], svc_api: [2, 1] });
  expect(count()).toEqual({});
});

test('answers are counted by the class of their status, and one that is none of them only as a request', () => {
  const { path, log } = stage();
  for (const status of [101, 200, 204, 301, 304, 308, 404, 503, 0, 999])
    appendFileSync(path, line('api.example.com', status));
  const { durations, ...counts } = log.count(routes).get('svc_api') ?? noRequests();
  expect([durations.total, counts]).toEqual([10, { errors: 2, status2xx: 2, status3xx: 3, status4xx: 1 }]);
});

test('a line that is cut by a read is counted once, when it is whole', () => {
  const { path, count } = stage();
  const whole = line('api.example.com');
  appendFileSync(path, whole + whole.slice(0, 30));
  expect(count()).toEqual({ svc_api: [1, 0] });
  appendFileSync(path, whole.slice(30));
  expect(count()).toEqual({ svc_api: [1, 0] });
});

test('a rotated log is read to its end, then the new one from its beginning', () => {
  const { path, count } = stage(line('web.example.com'));
  appendFileSync(path, line('web.example.com'));
  renameSync(path, `${path}.1`);
  writeFileSync(path, line('web.example.com') + line('web.example.com'));
  expect(count()).toEqual({ svc_web: [3, 0] });
});

test('lines that are none, and a log that was emptied or does not exist, count nothing', () => {
  const { path, count } = stage();
  appendFileSync(
    path,
    `null\n[]\n{"request":null}\n{"request":{"host":5},"status":"x"}\n${'x'.repeat(600_000)}\n`,
  );
  appendFileSync(path, line('api.example.com'));
  expect(count()).toEqual({ svc_api: [1, 0] });
  truncateSync(path, 0);
  expect(count()).toEqual({});
  const missing = new RequestLog(join(temporaryDirectory(), 'none'));
  expect(missing.count(routes).size).toBe(0);
});

test('percentiles are those of the durations, to 4 %', () => {
  const { path, log } = stage();
  for (let n = 1; n <= 100; n++) appendFileSync(path, line('api.example.com', 200, n / 1_000));
  const { durations } = log.count(routes).get('svc_api') ?? {};
  expect(durations?.percentile(0.5)).toBeGreaterThan(48);
  expect(durations?.percentile(0.5)).toBeLessThan(52.5);
  expect(durations?.percentile(0.99)).toBeGreaterThan(95);
  expect(durations?.percentile(0.99)).toBeLessThan(103.5);
});
