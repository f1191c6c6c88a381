/** The figure of docs/lab-books/performance.md: fifty times asleep and awake, with requests at every moment of it. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../runner/base/clock.ts';
import { watchSleep } from '../../../../runner/host/sleep/sleep-watch.ts';
import { connectionsOf, createSleeper } from '../../../../runner/host/sleep/sleeper.ts';
import { proxyPaths } from '../../../../runner/proxy/proxy-paths.ts';
import { ask } from '../../../support/docker/ask.ts';
import { namedApp } from '../../../support/docker/deploy-fixture.ts';
import { heldMs, keepAsking } from '../../../support/docker/keep-asking.ts';
import { useDeployFixture, useTestProxy } from '../../../support/docker/use-scenes.ts';
import { until } from '../../../support/runner/until.ts';

const fixture = useDeployFixture();
const proxy = useTestProxy();
const rounds = 50;
/** In each round, by clients of which the first find the service asleep. */
const requestsPerRound = 2_000;
const clients = 16;

test('fifty sleeps and wakes lose none of 100,000 requests', async () => {
  const { traffic } = proxy.proxy;
  const { docker } = fixture.host;
  const { wakes } = proxyPaths(proxy.dataDir);
  fixture.parts.traffic = traffic;
  fixture.parts.dataDirectory = proxy.dataDir;
  fixture.commit('sleepy', namedApp);
  const hostPort = proxy.config.webPorts.first;
  const spec = fixture.spec({ source: fixture.gitSource('sleepy'), hostPort, sleepAfterMinutes: 5 });
  const { result, context } = await fixture.deploy(spec);
  expect(result.outcome, context.text()).toBe('succeeded');
  const sleeper = createSleeper({ docker, traffic, wakes });
  const watch = watchSleep({
    ...{ traffic, wakes, sleeper, clock: systemClock, logger: { info: () => undefined, warn: console.warn } },
    requests: () => 1,
    connections: (route) => connectionsOf(docker, route),
  });
  const isAsleep = () => {
    const target = traffic.current(spec.serviceId)?.target;
    return target?.type === 'container' && target.asleep === true;
  };
  const host = spec.hostnames[0] ?? '';
  const failures: string[] = [];
  let stops = 0;
  let answers = 0;
  let held = 0;
  let slowestMs = 0;
  for (let round = 0; round < rounds; round += 1) {
    await until('it to be awake', () => !isAsleep());
    const sleeping = sleeper.sleep(spec.serviceId, AbortSignal.timeout(120_000));
    // In every second round somebody comes while it falls asleep, each time a little later.
    if (round % 2 === 1) await pause(round * 20);
    else stops += Number(await sleeping);
    const load = keepAsking(proxy.config.httpPort, host, clients);
    await until('enough requests', () => load.answers() >= requestsPerRound, 120_000);
    const result = await load.stop();
    await sleeping;
    // One that came last may have seen it fall asleep again: it is asked once more.
    const { status, ms, body } = await ask(proxy.config.httpPort, host, { method: 'GET' });
    failures.push(...result.failures, ...(status === 200 ? [] : [`GET ${status} ${body}`]));
    answers += result.answers + 1;
    held += result.held + Number(ms > heldMs);
    slowestMs = Math.max(slowestMs, result.slowestMs, ms);
  }
  await watch.stop();
  console.info(
    `${answers} answers, ${failures.length} lost, ${held} held for over ${heldMs} ms, slowest ${Math.round(slowestMs)} ms, ${stops} of ${rounds / 2} undisturbed sleeps stopped the container`,
  );
  expect(answers).toBeGreaterThanOrEqual(rounds * requestsPerRound);
  expect(failures).toEqual([]);
  expect(stops).toBe(rounds / 2);
}, 900_000);
