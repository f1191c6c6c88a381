/** What Prometheus reads, and who is answered. */
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { prometheusText, servePrometheus } from '../../../runner/metrics/prometheus.ts';
import type { LatestMetrics } from '../../../runner/metrics/take-samples.ts';

const container = { id: 'c', serviceId: 'svc_1', projectId: 'prj_1', startedAt: 1, usage: {}, exits: [] };
const latest: LatestMetrics = {
  at: 1_790_000_000_000,
  samples: new Map([
    ['host', { values: { cpu: 0.25, memory: null } }],
    ['svc_1', { values: { cpu: 0.5, restarts: 0 } }],
    ['"}\n evil 1', { values: { cpu: 1 } }],
  ]),
  containers: [container],
  host: {},
};

test('each metric is told once with its type, and no name of a container can add lines', () => {
  const lines = prometheusText(latest).split('\n');
  expect(lines).toContain('longshore_host_cpu_cores 0.25');
  expect(lines).toContain('longshore_service_cpu_cores{service="svc_1",project="prj_1"} 0.5');
  expect(lines).toContain('longshore_service_cpu_cores{service="____evil_1"} 1');
  expect(lines).toContain('longshore_service_restarts{service="svc_1",project="prj_1"} 0');
  expect(lines.filter((line) => line === '# TYPE longshore_service_cpu_cores gauge')).toHaveLength(1);
  expect(
    lines.filter((line) => line !== '' && !/^(# (HELP|TYPE) |longshore_\w+(\{[^}]*\})? [\d.]+$)/.test(line)),
  ).toEqual([]);
});

async function ask(port: number, path: string, host: string): Promise<number | undefined> {
  const asked = request({ host: '127.0.0.1', port, path, headers: { host } }).end();
  const [answer] = await once(asked, 'response');
  answer.resume();
  return answer.statusCode;
}

test('only GET /metrics under a name of the host itself is answered, and a taken port is said', async () => {
  const server = servePrometheus(
    0,
    () => latest,
    () => undefined,
  );
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port, address } = server.address() as AddressInfo;
  expect(address).toBe('127.0.0.1');
  expect(await ask(port, '/metrics', `127.0.0.1:${port}`)).toBe(200);
  expect(await ask(port, '/metrics', 'rebound.example.com')).toBe(404);
  expect(await ask(port, '/', 'localhost')).toBe(404);
  const { promise, resolve } = Promise.withResolvers<string>();
  const second = servePrometheus(port, () => latest, resolve);
  onTestFinished(() => void second.close());
  expect(await promise).toContain(`127.0.0.1:${port}`);
});
