import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { queueDeployment } from '../../../worker/usecases/deployments/queue-deployment.ts';
import { sweepJobs } from '../../../worker/usecases/jobs/sweep-jobs.ts';
import { deps } from '../../support/worker/api.ts';
import { countD1 } from '../../support/worker/d1/count-d1.ts';
import { countingStore } from '../../support/worker/d1/counting-store.ts';
import { setHubStore } from '../../support/worker/d1/failing-store.ts';
import { FakeRunner, hubOf, pump } from '../../support/worker/fake-runner.ts';
import { newHost } from '../../support/worker/host.ts';

/** Each is latency before the traffic moves, and a query of the free plan's day: 15, one of the ended log, and the look of this test. 30 before rows were remembered between reports. */
const tripsPerDeploymentMax = 17;
/** Rows written to D1 are what the free plan counts (100,000 a day). 31 when this was written. */
const rowsPerDeploymentMax = 40;

test('a whole deployment costs few rows and round trips in D1, and an idle minute none', async () => {
  const host = await newHost();
  const service = await host.addService();
  const runner = await FakeRunner.connect(host.keys);
  await pump(host.runnerId);
  let trips = 0;
  countD1(env.DB, () => trips++);
  const store = countingStore();
  await setHubStore(host.runnerId, store.db);

  const counted = { ...deps, db: store.db };
  await queueDeployment(counted, service, 'manual');
  const { job, epoch } = await runner.next('start');
  const attempt = { job, epoch };
  for (const phase of ['clone', 'build', 'start', 'health'] as const) {
    await runner.report(attempt, { type: 'phase', phase, facts: { commitSha: 'c0ffee', imageTag: 'tag' } });
  }
  expect(await runner.askSwitch(attempt)).toBe(true);
  await runner.report(attempt, { type: 'phase', phase: 'finish', facts: { containerName: 'name' } });
  await runner.report(attempt, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  await pump(host.runnerId);
  expect(trips).toBeLessThanOrEqual(tripsPerDeploymentMax);
  expect(store.rowsWritten()).toBeLessThanOrEqual(rowsPerDeploymentMax);

  const before = store.rowsWritten();
  await sweepJobs(counted);
  await pump(host.runnerId);
  expect(store.rowsWritten()).toBe(before);
  await runInDurableObject(hubOf(host.runnerId), async (_, ctx) => {
    expect(await ctx.storage.getAlarm()).toBeNull();
    expect((await ctx.storage.list()).size).toBe(0);
  });
});
