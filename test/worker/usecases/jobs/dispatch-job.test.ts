/** The dispatch of jobs of every kind: what it reads, and what users read when it can't be prepared. */
import { env } from 'cloudflare:workers';
import { and, eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createDependencies } from '../../../../worker/context.ts';
import type { Env } from '../../../../worker/env.ts';
import { jobs } from '../../../../worker/store/schema/jobs.ts';
import { runners } from '../../../../worker/store/schema/runners.ts';
import { variables } from '../../../../worker/store/schema/services.ts';
import { dispatchJob } from '../../../../worker/usecases/jobs/dispatch-job.ts';
import { createClient, deps, insertKey } from '../../../support/worker/api.ts';
import { databaseWithBackups } from '../../../support/worker/backup-rows.ts';
import { countedBinding } from '../../../support/worker/d1/counted-binding.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost, runnerRow } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();

async function shipped() {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const service = await host.addService();
  const ask = (method: string, path: string, body?: unknown) =>
    call(method, `/api/services/${service.id}/${path}`, { token, ...(body === undefined ? {} : { body }) });
  await ask('POST', 'deployments');
  const start = await runner.next('start');
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  await ask('POST', 'env', { key: 'LOST', value: 'x' });
  await deps.db.update(variables).set({ sealedValue: 'damaged' }).where(eq(variables.serviceId, service.id));
  return ask;
}

test('a command and a deployment that can not be prepared say which of them it was', async () => {
  const ask = await shipped();
  const { id } = (await ask('POST', 'run', { command: 'true' })).body.run;
  await expect
    .poll(async () => (await ask('GET', `runs/${id}`)).body.run)
    .toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^The command could not be prepared/),
    });
  await ask('POST', 'deployments');
  await expect
    .poll(async () => (await ask('GET', 'deployments')).body.deployments[0])
    .toMatchObject({
      status: 'failed',
      failureMessage: expect.stringMatching(/^The deployment could not be prepared/),
    });
});

test('a backup is read in one round trip at its dispatch', async () => {
  const { service, runner } = await databaseWithBackups();
  const { sealingKey } = await runnerRow((await newHost()).runnerId);
  await deps.db.update(runners).set({ sealingKey }).where(eq(runners.id, runner.id));
  await call('POST', `/api/services/${service.id}/database/backups`, { token, body: { storage: 'disk' } });
  const [job] = await deps.db
    .update(jobs)
    .set({ state: 'active', epoch: 1 })
    .where(and(eq(jobs.serviceId, service.id), eq(jobs.kind, 'backup')))
    .returning();
  if (!job) throw new Error('No backup was queued.');
  let trips = 0;
  const counting = createDependencies({ ...env, DB: countedBinding(() => trips++) } as Env);
  expect((await dispatchJob(counting, job))?.frame.spec).toMatchObject({ kind: 'backup' });
  expect(trips).toBe(1);
});
