/** Hosts whose link was cut: nothing tells the control plane, so it has to look. */
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { services } from '../../../../worker/store/schema/services.ts';
import { lookForSilence, watchSilence } from '../../../../worker/usecases/hosts/find-silent-hosts.ts';
import { createClient, deps, insertKey } from '../../../support/worker/api.ts';
import { NotingHubs } from '../../../support/worker/deployment-rows.ts';
import { FakeRunner, setHubClock } from '../../../support/worker/fake-runner.ts';
import { newHost, runnerRow } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();

test('a service of a silent host is not reachable within 45 s after its link was cut, while somebody looks', async () => {
  const host = await newHost();
  const service = await host.addService();
  await FakeRunner.connect(host.keys);
  await deps.db
    .update(services)
    .set({ reachable: true, status: 'active' })
    .where(eq(services.id, service.id));
  const reachable = async () => {
    const path = `/api/services/${service.id}/overview`;
    return (await call('GET', path, { token })).body.service.reachable;
  };
  expect(await reachable()).toBe(true);
  await setHubClock(host.runnerId, Date.now() + 31_000);
  const later = { ...deps, now: () => Date.now() + 31_000 };
  await lookForSilence(later, host.runnerId);
  await expect.poll(reachable).toBe(false);
});

test('however often somebody looks, a hub is asked once in 15 s, also when the clock jumps', async () => {
  const hubs = new NotingHubs();
  let asked = 0;
  hubs.isConnected = async () => {
    asked += 1;
    return true;
  };
  let at = 1_000_000;
  const look = (ms: number) => {
    at += ms;
    return lookForSilence({ hubs, now: () => at }, 'run_looked_at');
  };
  for (let look15 = 0; look15 < 10; look15++) await look(100);
  expect(asked).toBe(1);
  await look(15_000);
  expect(asked).toBe(2);
  await look(-600_000);
  expect(asked).toBe(3);
});

test('a host at which nobody looks is found by the clock', async () => {
  const host = await newHost();
  await FakeRunner.connect(host.keys);
  await setHubClock(host.runnerId, Date.now() + 31_000);
  await watchSilence(deps);
  await expect.poll(() => runnerRow(host.runnerId)).toMatchObject({ connectedAt: null });
});
