import { expect, test } from 'vitest';
import { badAnswersMax, healthRoundMs } from '../../../runner/host/replica-health.ts';
import { watchReplicas } from '../../../runner/host/replica-watch.ts';
import type { HealthOutcome } from '../../../runner/proxy/health-check.ts';
import type { Route } from '../../../runner/proxy/traffic.ts';
import { routeTo } from '../../support/docker/test-proxy.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';
import { memoryTraffic } from '../../support/runner/memory-traffic.ts';
import { until } from '../../support/runner/until.ts';

const [first, second] = ['10.0.0.1', '10.0.0.2'];
const health = { path: '/up', timeoutMs: 5_000 };
const silence = { healthy: false, reason: 'wrong-answer', detail: 'no answer in time' } as const;

function watched(routes: Partial<Route>[]) {
  const traffic = memoryTraffic();
  const clock = manualClock();
  const outcomes = new Map<string, HealthOutcome>();
  const asked: string[] = [];
  const askedAs: string[] = [];
  const start = async () => {
    for (const route of routes) await traffic.switchTo(routeTo({ address: first, port: 80 }, route));
    const quiet = { warn: () => undefined, info: () => undefined };
    return watchReplicas({
      ...{ traffic, clock, logger: quiet, answers: async () => true },
      askHealth: async ({ address, path, hostname, scheme }) => {
        asked.push(`${address}${path}`);
        askedAs.push(`${scheme}://${hostname}`);
        return outcomes.get(address) ?? { healthy: true };
      },
    });
  };
  const down = () => {
    const target = traffic.current('svc_shop')?.target;
    return target?.type === 'container' ? (target.down ?? []).join() : undefined;
  };
  const rounds = (count: number) => clock.advance(count * healthRoundMs);
  return { start, down, rounds, outcomes, asked, askedAs, traffic };
}

const replicas = { type: 'container', address: first, port: 80, others: [second] } as const;
const several = { ...replicas, others: [second], health };

test('a replica whose health path fails three times leaves the traffic, and one good answer brings it back', async () => {
  const { start, down, rounds, outcomes, asked } = watched([{ target: several }]);
  const watch = await start();
  outcomes.set(second, silence);
  await rounds(badAnswersMax - 1);
  expect([down(), asked.length]).toEqual(['', 2 * (badAnswersMax - 1)]);
  await rounds(1);
  await until('it to be out', () => down() === second);
  outcomes.set(second, { healthy: true });
  await rounds(1);
  await until('it to be back', () => down() === '');
  expect(new Set(asked)).toEqual(new Set([`${first}/up`, `${second}/up`]));
  await watch.stop();
});

test('bad answers that are not in a row, and closed ports, take no replica out by its health path', async () => {
  const { start, down, rounds, outcomes } = watched([{ target: several }]);
  const watch = await start();
  const closed = { healthy: false, reason: 'port-closed', detail: '' } as const;
  for (const between of [{ healthy: true }, closed] as const) {
    outcomes.set(second, silence);
    await rounds(badAnswersMax - 1);
    outcomes.set(second, between);
    await rounds(badAnswersMax);
  }
  expect(down()).toBe('');
  await watch.stop();
});

test('services without a health path, with one container or that sleep when idle are not asked for their health', async () => {
  const { health: _, ...pathless } = several;
  const { start, rounds, asked } = watched([
    { serviceId: 'svc_pathless', hostnames: ['a.localhost'], target: pathless },
    {
      serviceId: 'svc_single',
      hostnames: ['b.localhost'],
      target: { type: 'container', address: first, port: 80, health },
    },
    { serviceId: 'svc_sleepy', hostnames: ['c.localhost'], target: several, sleepAfterMinutes: 30 },
  ]);
  const watch = await start();
  await rounds(3);
  expect(asked).toEqual([]);
  await watch.stop();
});

test('replicas are asked under the domain that visitors use, or the name that the service sets', async () => {
  const named = { ...several, health: { ...health, host: 'ready.internal' } };
  const { start, rounds, askedAs, traffic } = watched([{ target: several }]);
  const watch = await start();
  const domain = { hostname: 'shop.example', isCustom: true, isActive: true };
  const generated = { hostname: 'shop.localhost', isCustom: false, isActive: true };
  const names = { revision: 1, names: [generated, domain], publicIp: null };
  await rounds(1);
  await traffic.setNames('svc_shop', names);
  await rounds(1);
  await traffic.switchTo(routeTo({ address: first, port: 80 }, { target: named }));
  await rounds(1);
  expect([...new Set(askedAs)]).toEqual([
    'http://shop.localhost',
    'https://shop.example',
    'https://ready.internal',
  ]);
  await watch.stop();
});
