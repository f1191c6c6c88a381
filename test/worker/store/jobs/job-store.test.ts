/** What is written over a row that has moved since it was read: nothing at all. */
import { expect, test } from 'vitest';
import { placesOfHost } from '../../../../protocol/job-places.ts';
import { requestAbort } from '../../../../worker/store/deployments/deployment-store.ts';
import { claimNextJob } from '../../../../worker/store/jobs/claim-store.ts';
import { endJob, type JobEnd } from '../../../../worker/store/jobs/job-end-store.ts';
import {
  findJob,
  hasDeployment,
  writePhase,
  writeProgress,
} from '../../../../worker/store/jobs/job-store.ts';
import { deps } from '../../../support/worker/api.ts';
import {
  deploy,
  deploymentRow,
  jobRow,
  newHost,
  serviceRow,
  type TestHost,
} from '../../../support/worker/host.ts';

const success: JobEnd = {
  state: 'succeeded',
  at: 9,
  facts: { commitSha: 'late', framework: 'late' },
  resultId: 'late',
  failure: null,
  moveTaskId: null,
};

async function claimed(host: TestHost, service: Awaited<ReturnType<TestHost['addService']>>) {
  const deployment = await deploy(service);
  await claimNextJob(deps.db, {
    runnerId: host.runnerId,
    at: 1,
    deadlinesMs: { deploy: 1, data: 1 },
    places: placesOfHost,
  });
  const found = await findJob(deps.db, deployment.jobId);
  if (found?.job.state !== 'active' || !hasDeployment(found)) throw new Error('not claimed');
  return { deployment, found };
}

test('the switch is not written over an abort that came after the row was read', async () => {
  const host = await newHost();
  const { found } = await claimed(host, await host.addService());
  expect(await requestAbort(deps.db, found.job.id, 5)).toBe(true);
  expect(await writePhase(deps.db, found.job, { ...found.job, phase: 'switch' })).toBe(false);
  expect((await jobRow(found.job.id)).phase).toBeNull();
});

test('an abort is not written over a switch', async () => {
  const host = await newHost();
  const { found } = await claimed(host, await host.addService());
  expect(await writePhase(deps.db, found.job, { ...found.job, phase: 'switch' })).toBe(true);
  expect(await requestAbort(deps.db, found.job.id, 5)).toBe(false);
});

test('an end is written once: a second one changes no row, neither its own nor that of the live deployment', async () => {
  const host = await newHost();
  const service = await host.addService();
  const live = await claimed(host, service);
  await endJob(deps.db, live.found, { ...success, facts: {} });
  const lost = await claimed(host, service);
  const failure = { code: 'runner_lost', message: 'lost' };
  expect(await endJob(deps.db, lost.found, { ...success, state: 'failed', facts: {}, failure })).toEqual([]);
  const rows = () =>
    Promise.all([
      jobRow(lost.found.job.id),
      deploymentRow(lost.deployment.id),
      deploymentRow(live.deployment.id),
      serviceRow(service.id),
    ]);
  const before = await rows();
  expect(await endJob(deps.db, lost.found, success)).toBeUndefined();
  expect(await rows()).toEqual(before);
  expect(before[2]?.status).toBe('running');
});

test('progress that comes after the end changes no row', async () => {
  const host = await newHost();
  const service = await host.addService();
  const { deployment, found } = await claimed(host, service);
  await endJob(deps.db, found, { ...success, facts: {} });
  const rows = () =>
    Promise.all([jobRow(found.job.id), deploymentRow(deployment.id), serviceRow(service.id)]);
  const before = await rows();
  const progress = { to: { ...found.job, phase: 'health' as const }, facts: success.facts, at: 10 };
  expect(await writeProgress(deps.db, found, progress)).toBe(false);
  expect(await rows()).toEqual(before);
});
