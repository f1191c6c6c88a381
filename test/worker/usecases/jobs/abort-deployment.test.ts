import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { jobs } from '../../../../worker/store/schema/jobs.ts';
import { abortDeployment } from '../../../../worker/usecases/jobs/abort-deployment.ts';
import { deps } from '../../../support/worker/api.ts';
import {
  insertDeploymentOf,
  insertHostedService,
  NotingHubs,
  rowsOf,
} from '../../../support/worker/deployment-rows.ts';

test('a job that its host takes between reading and aborting is asked to stop, not lost', async () => {
  const { service, runner } = await insertHostedService();
  const read = await insertDeploymentOf(service.id);
  await deps.db.update(jobs).set({ state: 'active', epoch: 1 }).where(eq(jobs.id, read.job.id));
  const hubs = new NotingHubs();
  await abortDeployment({ ...deps, hubs }, read);
  expect(hubs.calls).toEqual([`abort ${runner.id} ${read.job.id}`]);
  expect((await rowsOf(read.deployment.id)).job).toMatchObject({
    state: 'active',
    abortRequestedAt: expect.any(Number),
  });
});

test('a job that ends between reading and aborting is refused and stays as it ended', async () => {
  const { service } = await insertHostedService();
  const read = await insertDeploymentOf(service.id, { job: { state: 'active' } });
  await deps.db.update(jobs).set({ state: 'succeeded' }).where(eq(jobs.id, read.job.id));
  await expect(abortDeployment({ ...deps, hubs: new NotingHubs() }, read)).rejects.toMatchObject({
    code: 'cannot_abort',
  });
  expect((await rowsOf(read.deployment.id)).job).toMatchObject({
    state: 'succeeded',
    abortRequestedAt: null,
  });
});

test('a deployment is aborted even when its log cannot be ended now', async () => {
  const { service } = await insertHostedService();
  const read = await insertDeploymentOf(service.id);
  const logs = { ...deps.logs, finish: () => Promise.reject(new Error('the object restarts')) };
  await abortDeployment({ ...deps, logs, hubs: new NotingHubs() }, read);
  expect((await rowsOf(read.deployment.id)).deployment.status).toBe('aborted');
});
