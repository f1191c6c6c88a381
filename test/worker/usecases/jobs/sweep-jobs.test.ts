/** @module-tag slow */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { jobs } from '../../../../worker/store/schema/jobs.ts';
import { runners } from '../../../../worker/store/schema/runners.ts';
import type { Dependencies } from '../../../../worker/usecases/dependencies.ts';
import { queueDeployment } from '../../../../worker/usecases/deployments/queue-deployment.ts';
import { abortDeployment } from '../../../../worker/usecases/jobs/abort-deployment.ts';
import { sweepJobs } from '../../../../worker/usecases/jobs/sweep-jobs.ts';
import { deps } from '../../../support/worker/api.ts';
import { FakeRunner, hubOf, pump } from '../../../support/worker/fake-runner.ts';
import {
  deploy,
  deploymentRow,
  jobRow,
  newHost,
  runnerRow,
  serviceRow,
} from '../../../support/worker/host.ts';
import { LogReader } from '../../../support/worker/log-reader.ts';

const minuteMs = 60_000;

/** The sweep at this distance from now. */
const sweepIn = (ms: number, extra: Partial<Dependencies> = {}) =>
  sweepJobs({ ...deps, now: () => Date.now() + ms, ...extra });

async function atWork() {
  const host = await newHost();
  const service = await host.addService();
  const runner = await FakeRunner.connect(host.keys);
  const deployment = await deploy(service);
  const { job, epoch } = await runner.next('start');
  return { host, service, runner, deployment, attempt: { job, epoch } };
}

async function gone({ runner, host }: { runner: FakeRunner; host: { runnerId: string } }) {
  await runner.disconnect();
  await expect.poll(() => runnerRow(host.runnerId)).toMatchObject({ connectedAt: null });
}

async function abort(deploymentId: string) {
  const deployment = await deploymentRow(deploymentId);
  await abortDeployment(deps, { deployment, job: await jobRow(deployment.jobId) });
}

test('a deployment that waited 24 h fails with queue_timeout, and its log ends with the reason', async () => {
  const host = await newHost();
  const service = await host.addService();
  const deployment = await deploy(service);
  await sweepIn(24 * 60 * minuteMs - minuteMs);
  expect((await jobRow(deployment.jobId)).state).toBe('queued');
  const reader = await LogReader.open(deployment.id, 0);
  await sweepIn(24 * 60 * minuteMs + minuteMs);
  expect(await jobRow(deployment.jobId)).toMatchObject({ state: 'failed', failureCode: 'queue_timeout' });
  expect(await deploymentRow(deployment.id)).toMatchObject({
    status: 'failed',
    finishedAt: expect.any(Number),
  });
  expect((await serviceRow(service.id)).status).toBe('failed');
  await reader.closed;
  expect(reader.entries.at(-1)?.line).toMatch(/24 h/);
});

test('a deadline stops the runner and fails the job; its late success changes nothing', async () => {
  const { runner, deployment, attempt } = await atWork();
  await sweepIn(29 * minuteMs);
  expect((await jobRow(attempt.job)).state).toBe('active');
  await sweepIn(31 * minuteMs);
  expect(await runner.next('abort')).toMatchObject(attempt);
  await runner.report(attempt, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  expect(await jobRow(attempt.job)).toMatchObject({ state: 'failed', failureCode: 'deadline' });
  expect((await deploymentRow(deployment.id)).status).toBe('failed');
});

test('nothing ends a deployment whose switch was granted: no deadline and no absence', async () => {
  const work = await atWork();
  expect(await work.runner.askSwitch(work.attempt)).toBe(true);
  await sweepIn(31 * minuteMs);
  await gone(work);
  await sweepIn(60 * minuteMs);
  expect((await jobRow(work.attempt.job)).state).toBe('active');
  const back = await FakeRunner.connect(work.host.keys, { jobs: [work.attempt] });
  await back.report(work.attempt, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  expect((await deploymentRow(work.deployment.id)).status).toBe('running');
});

test('a host that is away for 10 min loses its job; one that returns before continues with it', async () => {
  const lost = await atWork();
  const returned = await atWork();
  await gone(lost);
  await gone(returned);
  await sweepIn(9 * minuteMs);
  expect((await jobRow(lost.attempt.job)).state).toBe('active');
  const back = await FakeRunner.connect(returned.host.keys, { jobs: [returned.attempt] });
  await sweepIn(11 * minuteMs);
  expect(await jobRow(lost.attempt.job)).toMatchObject({ state: 'failed', failureCode: 'runner_lost' });
  expect((await jobRow(returned.attempt.job)).state).toBe('active');
  await back.report(returned.attempt, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  expect((await jobRow(returned.attempt.job)).state).toBe('succeeded');
});

test('a host that returns too late is asked to stop, and its result is dropped', async () => {
  const work = await atWork();
  await gone(work);
  await sweepIn(11 * minuteMs);
  const back = await FakeRunner.connect(work.host.keys, { jobs: [work.attempt] });
  expect(await back.next('abort')).toMatchObject(work.attempt);
  expect(await back.askSwitch(work.attempt)).toBe(false);
  await back.report(work.attempt, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  expect((await deploymentRow(work.deployment.id)).status).toBe('failed');
});

test('an aborted deployment whose host does not return ends aborted, not failed', async () => {
  const work = await atWork();
  await gone(work);
  await abort(work.deployment.id);
  await sweepIn(11 * minuteMs);
  expect(await jobRow(work.attempt.job)).toMatchObject({ state: 'aborted', failureCode: null });
  expect((await deploymentRow(work.deployment.id)).status).toBe('aborted');
});

test('a queued job whose wake-up was lost starts with the next sweep', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const service = await host.addService();
  const silentHubs = { ...deps.hubs, wake: async () => {} };
  const deployment = await queueDeployment({ ...deps, hubs: silentHubs }, service, 'manual');
  expect((await jobRow(deployment.jobId)).state).toBe('queued');
  await sweepIn(0);
  expect((await runner.next('start')).job).toBe(deployment.jobId);
});

test('a claim whose hub died before it sent anything is sent by the next sweep', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const service = await host.addService();
  const deployment = await deploy(service);
  await runner.next('start');
  await pump(host.runnerId);
  // What an eviction between the claim and the frame leaves: an active row that no memory knows of.
  await runInDurableObject(hubOf(host.runnerId), (_, ctx) => {
    for (const socket of ctx.getWebSockets()) {
      socket.serializeAttachment({ ...socket.deserializeAttachment(), leases: [] });
    }
  });
  await evictDurableObject(hubOf(host.runnerId), { webSockets: 'hibernate' });
  await sweepIn(0);
  expect(await runner.next('start')).toMatchObject({ job: deployment.jobId, epoch: 1 });
});

test('a hub that lost its socket without notice detects it at the sweep, so that the absence counts', async () => {
  const host = await newHost();
  const deployment = await deploy(await host.addService());
  await deps.db.update(runners).set({ connectedAt: 1 }).where(eq(runners.id, host.runnerId));
  await deps.db
    .update(jobs)
    .set({ state: 'active', epoch: 1, claimedAt: 1, deadlineAt: Date.now() + minuteMs })
    .where(eq(jobs.id, deployment.jobId));
  await sweepIn(0);
  await expect
    .poll(() => runnerRow(host.runnerId))
    .toMatchObject({
      connectedAt: null,
      disconnectedAt: expect.any(Number),
    });
});

test('a sweep has nothing to do with idle hosts', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  await host.addService();
  const woken: string[] = [];
  const hubs = {
    ...deps.hubs,
    wake: async (runnerId: string) => {
      woken.push(runnerId);
    },
  };
  await sweepIn(0, { hubs });
  expect(woken).not.toContain(host.runnerId);
  await pump(host.runnerId);
  expect(await runner.unread()).toEqual([]);
});

test('two sweeps at once end a job once', async () => {
  const host = await newHost();
  const deployment = await deploy(await host.addService());
  const finished: string[] = [];
  const logs = {
    ...deps.logs,
    finish: async (id: string) => {
      finished.push(id);
    },
  };
  await Promise.all([sweepIn(25 * 60 * minuteMs, { logs }), sweepIn(25 * 60 * minuteMs, { logs })]);
  expect(finished.filter((id) => id === deployment.id)).toHaveLength(1);
});
