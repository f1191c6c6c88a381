import { expect, test } from 'vitest';
import { watchReplicas } from '../../../runner/host/replica-watch.ts';
import { addressesOf } from '../../../runner/proxy/traffic.ts';
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

test('replicas that do not answer are taken out, asked again and taken back; services with one container are not asked', async () => {
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
  watch.changed();
  await until('one to be out', () => down() === '10.0.0.2');
  silent.clear();
  await until('it to be back', async () => {
    await clock.advance(500);
    return down() === '';
  });
  expect([...asked].sort()).toEqual(addressesOf({ ...target, others: [...target.others] }));
  silent.add(address);
  watch.changed();
  await until('the first to be out', () => down() === address);
  await watch.stop();
});
