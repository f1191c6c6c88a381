import { expect, onTestFinished, test } from 'vitest';
import { watchReplicas } from '../../../runner/host/replica-watch.ts';
import { holdMs } from '../../../runner/proxy/edge/held-requests.ts';
import { addressesOf, type Route } from '../../../runner/proxy/traffic.ts';
import { routeTo } from '../../support/docker/test-proxy.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';
import { memoryTraffic } from '../../support/runner/memory-traffic.ts';
import { until } from '../../support/runner/until.ts';

const address = '10.0.0.1';
const target = { type: 'container', address, port: 80, others: ['10.0.0.2', '10.0.0.3'] } as const;
const several = routeTo(
  { address, port: 80 },
  { target: { ...target, others: [...target.others] }, serviceId: 'svc_several' },
);
const single = routeTo({ address: '10.0.0.9', port: 80 }, { serviceId: 'svc_single' });

test('replicas that do not answer are taken out, asked again and taken back', async () => {
  const traffic = memoryTraffic();
  const clock = manualClock();
  await traffic.switchTo(several);
  await traffic.switchTo(single);
  const silent = new Set(['10.0.0.2']);
  const asked = new Set<string>();
  const answers = async (one: string) => {
    asked.add(one);
    return !silent.has(one);
  };
  const watch = watchReplicas({ traffic, clock, logger: console, answers });
  const down = () => {
    const now = traffic.current('svc_several')?.target;
    return now?.type === 'container' ? (now.down ?? []).join() : undefined;
  };
  watch.changed('svc_several');
  await until('one to be out', () => down() === '10.0.0.2');
  silent.clear();
  await until('it to be back', async () => {
    await clock.advance(500);
    return down() === '';
  });
  expect([...asked].sort()).toEqual(addressesOf({ ...target, others: [...target.others] }));
  silent.add(address);
  watch.changed('svc_several');
  await until('the first to be out', () => down() === address);
  await watch.stop();
});

function watched({ silent, ends = 0 }: { silent: Set<string>; ends?: number }) {
  const traffic = memoryTraffic();
  const clock = manualClock();
  const asked: string[] = [];
  const answers = async (one: string) => {
    asked.push(one);
    return !silent.has(one);
  };
  const watch = watchReplicas({ traffic, clock, logger: console, answers, exits: { endsOf: () => ends } });
  onTestFinished(() => watch.stop());
  const away = () => {
    const now = traffic.current('svc_single')?.target;
    return now?.type === 'container' ? now.awayUntil : undefined;
  };
  return { traffic, clock, asked, watch, away };
}

test('requests for a service wait while its only container is away, for at most two minutes', async () => {
  const silent = new Set(['10.0.0.9']);
  const { traffic, clock, watch, away } = watched({ silent });
  watch.changed(); // before there is any route
  await traffic.switchTo(single);
  watch.changed('svc_single');
  await until('it to be away', () => away() === clock.now() + holdMs);
  const first = away();
  await clock.advance(holdMs + 1_000);
  watch.changed('svc_single');
  await until('another look', async () => clock.waiting.length > 0);
  expect(away()).toBe(first);
  silent.clear();
  await until('it to be back', async () => {
    await clock.advance(5_000);
    return away() === undefined;
  });
});

test('a service that has ended three times keeps no requests waiting', async () => {
  const { traffic, clock, watch, away } = watched({ silent: new Set(['10.0.0.9']), ends: 3 });
  await traffic.switchTo(single);
  watch.changed('svc_single');
  await until('a look', () => away() !== undefined);
  expect(away()).toBe(clock.now());
});

test('the end of a container asks only its service; all are asked while Docker is away', async () => {
  const { traffic, clock, asked, watch } = watched({ silent: new Set() });
  await traffic.switchTo(several);
  await traffic.switchTo(single);
  watch.changed('svc_single');
  await until('a look', () => asked.length > 0);
  await clock.advance(1_000);
  expect(new Set(asked)).toEqual(new Set(['10.0.0.9']));
  watch.dockerAway();
  await until('all to be asked', () => new Set(asked).size === 4);
  const before = asked.length;
  await until('them to be asked again', async () => {
    await clock.advance(250);
    return asked.length >= before + 4;
  });
});

test('a version that a job or its sleep has stopped is not asked', async () => {
  const { traffic, clock, asked, watch } = watched({ silent: new Set() });
  await traffic.switchTo(single);
  await traffic.setHeld(single, clock.now() + 60_000);
  await traffic.switchTo({ ...several, target: { ...several.target, asleep: true } as Route['target'] });
  watch.changed();
  await watch.stop();
  expect(asked).toEqual([]);
});
