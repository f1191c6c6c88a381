/** From counters to values: rates, sums over the containers of a service, and what a restart does. */
import { expect, test } from 'vitest';
import { hostKey } from '../../../runner/metrics/columns.ts';
import type { MeasuredContainer } from '../../../runner/metrics/container-usage.ts';
import { CounterRates } from '../../../runner/metrics/counter-rates.ts';
import { Histogram } from '../../../runner/metrics/histogram.ts';
import { noRequests } from '../../../runner/metrics/request-log.ts';
import { takeSamples } from '../../../runner/metrics/take-samples.ts';

const container = (
  id: string,
  serviceId: string,
  more: Partial<MeasuredContainer> = {},
): MeasuredContainer => ({
  ...{ id, serviceId, projectId: 'prj', startedAt: 1, usage: {}, exits: [] },
  ...more,
});

function stage() {
  const rates = new CounterRates();
  let at = 0;
  return (containers: MeasuredContainer[], more: Partial<Parameters<typeof takeSamples>[0]> = {}) => {
    at += 10_000;
    const measured = {
      containers,
      requests: new Map(),
      host: {},
      diskUsed: () => undefined,
      routed: new Set<string>(),
    };
    return takeSamples({ ...measured, ...more }, rates, { at, since: at - 10_000 });
  };
}

test('counters become rates from the second time on, and those of all containers of a service are added', () => {
  const take = stage();
  const both = (cpu: number) => [
    container('a', 'svc', { usage: { cpuSeconds: cpu, memory: 100 } }),
    container('b', 'svc', { usage: { cpuSeconds: 2 * cpu, memory: 50 } }),
  ];
  expect(take(both(1)).get('svc')?.values).toMatchObject({ cpu: null, memory: 150 });
  expect(take(both(6)).get('svc')?.values).toMatchObject({ cpu: 1.5, memory: 150 });
});

test('a container that was started again counts from zero, and never below', () => {
  const take = stage();
  const at = (cpuSeconds: number, startedAt: number) => [
    container('a', 'svc', { startedAt, usage: { cpuSeconds } }),
  ];
  take(at(100, 1));
  expect(take(at(5, 1)).get('svc')?.values.cpu).toBe(0.5);
  expect(take(at(5, 2)).get('svc')?.values.cpu).toBeNull();
  expect(take(at(6, 2)).get('svc')?.values.cpu).toBe(0.1);
});

test('unexpected ends are restarts, and a killed child is out of memory although its container lives', () => {
  const take = stage();
  const exits = [
    { at: 1, exitCode: 137, outOfMemory: true },
    { at: 2, exitCode: 1, outOfMemory: false },
  ];
  take([container('a', 'crashing'), container('b', 'killing', { usage: { outOfMemory: 3 } })]);
  const samples = take([
    container('a', 'crashing', { exits }),
    container('b', 'killing', { usage: { outOfMemory: 5 } }),
  ]);
  expect(samples.get('crashing')?.values).toMatchObject({ restarts: 2, outOfMemory: 1 });
  expect(samples.get('killing')?.values).toMatchObject({ restarts: 0, outOfMemory: 2 });
  expect(samples.get(hostKey)?.values).toMatchObject({ restarts: 2, outOfMemory: 3 });
});

test('a routed service without requests has none, which is not the same as not known', () => {
  const take = stage();
  const durations = new Histogram();
  for (let n = 0; n < 50; n++) durations.add(20);
  const requests = new Map([
    ['site', { ...noRequests(), durations, errors: 5, status2xx: 40, status4xx: 5 }],
  ]);
  const samples = take([container('db', 'database', { connections: 7 })], {
    requests,
    routed: new Set(['site', 'idle']),
  });
  expect(samples.get('site')?.values).toMatchObject({
    requests: 5,
    errors: 0.5,
    ...{ status2xx: 4, status3xx: 0, status4xx: 0.5 },
    latencyP50: expect.closeTo(20, -1),
    latencyP95: expect.closeTo(20, -1),
  });
  expect(samples.get('idle')?.values).toEqual({
    ...{ requests: 0, errors: 0, status2xx: 0, status3xx: 0, status4xx: 0 },
    ...{ latencyP50: null, latencyP95: null, latencyP99: null },
  });
  expect(samples.get('database')?.values.requests).toBeUndefined();
  expect(samples.get('database')?.values.connections).toBe(7);
  expect(samples.get(hostKey)?.values).toMatchObject({ requests: 5, errors: 0.5 });
});
