/** Faults of docs/design/reliability.md inside the control plane; each test names the fault's number. */
import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { placesOfHost } from '../../../protocol/job-places.ts';
import type { JobResult } from '../../../protocol/job-report.ts';
import { claimNextJob } from '../../../worker/store/jobs/claim-store.ts';
import { jobs } from '../../../worker/store/schema/jobs.ts';
import { queueDeployment } from '../../../worker/usecases/deployments/queue-deployment.ts';
import { abortDeployment } from '../../../worker/usecases/jobs/abort-deployment.ts';
import { applyRunnerReport } from '../../../worker/usecases/jobs/apply-runner-report.ts';
import { grantSwitch } from '../../../worker/usecases/jobs/grant-switch.ts';
import { sweepJobs } from '../../../worker/usecases/jobs/sweep-jobs.ts';
import { races } from '../../support/level.ts';
import { deps } from '../../support/worker/api.ts';
import {
  setHubStore,
  storeThatIsDown,
  storeThatLosesAnswers,
} from '../../support/worker/d1/failing-store.ts';
import { FakeRunner, hubOf } from '../../support/worker/fake-runner.ts';
import { deploy, deploymentRow, jobRow, newHost, serviceRow } from '../../support/worker/host.ts';
import { linesFrom } from '../../support/worker/log-lines.ts';
import { LogReader } from '../../support/worker/log-reader.ts';

async function atWork() {
  const host = await newHost();
  const service = await host.addService();
  const runner = await FakeRunner.connect(host.keys);
  const deployment = await deploy(service);
  const { job, epoch } = await runner.next('start');
  return { host, service, runner, deployment, attempt: { job, epoch } };
}

type AtWork = Awaited<ReturnType<typeof atWork>>;

/** Sends the lines and waits until they are acknowledged. */
async function say(runner: FakeRunner, attempt: AtWork['attempt'], first: number, last: number) {
  runner.send({ v: 1, type: 'logs', ...attempt, first, lines: linesFrom(first, last), last: true });
  for (;;) if ((await runner.next('log-ack')).through >= last) return;
}

async function logOf({ deployment }: Pick<AtWork, 'deployment'>) {
  const { lines } = await deps.logs.read(deployment.id, 0);
  return lines.map(({ id, line }) => `${id} ${line}`);
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `${index + 1} line ${index + 1}`);
const succeeded: JobResult = { outcome: 'succeeded', facts: {} };
const result = (outcome: JobResult) => ({ type: 'result', result: outcome }) as const;

test('fault 1: a hub that sleeps mid-build keeps its socket and loses and doubles no line', async () => {
  const work = await atWork();
  const { runner, attempt, host } = work;
  await say(runner, attempt, 1, 50);
  await evictDurableObject(hubOf(host.runnerId), { webSockets: 'hibernate' });
  await say(runner, attempt, 51, 100);
  await evictDurableObject(hubOf(host.runnerId), { webSockets: 'hibernate' });
  await runner.report(attempt, result(succeeded));
  expect(await logOf(work)).toEqual(numbered(100));
  expect(runner.unreadNow).toEqual([]);
  expect((await deploymentRow(work.deployment.id)).status).toBe('running');
});

test('fault 2: a hub evicted with its sockets is dialled again and continues with the same attempt', async () => {
  const work = await atWork();
  const { runner, attempt, host } = work;
  await say(runner, attempt, 1, 50);
  await evictDurableObject(hubOf(host.runnerId), { webSockets: 'close' });
  expect((await runner.closed).code).toBe(1006);
  const back = await FakeRunner.connect(host.keys, { jobs: [attempt] });
  await say(back, attempt, 41, 100);
  expect(await back.unread()).toEqual([]);
  expect((await jobRow(attempt.job)).epoch).toBe(attempt.epoch);
  await back.report(attempt, result(succeeded));
  expect(await logOf(work)).toEqual(numbered(100));
});

test('fault 3: lines whose acknowledgement died with the objects are sent again and stored once', {
  tags: 'slow',
}, async () => {
  const work = await atWork();
  const { runner, attempt, host } = work;
  runner.send({ v: 1, type: 'logs', ...attempt, first: 1, lines: linesFrom(1, 50), last: true });
  await expect.poll(() => logOf(work)).toEqual(numbered(50));
  await abortAllDurableObjects();
  const back = await FakeRunner.connect(host.keys, { jobs: [attempt] });
  await say(back, attempt, 1, 50);
  await say(back, attempt, 51, 60);
  expect(await logOf(work)).toEqual(numbered(60));
});

test('fault 4: frames of the version before, and fields of a later one, are understood', async () => {
  const work = await atWork();
  const { runner, attempt } = work;
  const frame = { ...attempt, first: 1, lines: linesFrom(1, 2), last: true };
  runner.sendText(JSON.stringify({ v: 0, type: 'logs', ...frame, colour: 'a field of tomorrow' }));
  expect(await runner.next('log-ack')).toMatchObject({ through: 2 });
  runner.sendText(JSON.stringify({ v: 1, type: 'a frame of tomorrow', ...attempt }));
  runner.sendText(
    JSON.stringify({ v: 0, type: 'report', ...attempt, id: 'old', event: { ...result(succeeded), more: 1 } }),
  );
  expect((await runner.next('report-ack')).id).toBe('old');
  expect((await deploymentRow(work.deployment.id)).status).toBe('running');
});

test('faults 16 and 17: a result delivered twice, and every late word after it, is acknowledged and changes nothing', async () => {
  const { runner, attempt, service, deployment } = await atWork();
  await runner.report(attempt, result(succeeded), 'one');
  const rows = async () => [
    await jobRow(attempt.job),
    await deploymentRow(deployment.id),
    await serviceRow(service.id),
  ];
  const after = await rows();
  await runner.report(attempt, result(succeeded), 'one');
  await runner.report(attempt, result({ outcome: 'aborted', facts: {} }), 'two');
  await runner.report(attempt, { type: 'phase', phase: 'build', facts: { commitSha: 'late' } });
  expect(await runner.askSwitch(attempt)).toBe(false);
  expect(await rows()).toEqual(after);
});

test('fault 20: lines of a host whose clock is off, or jumps, keep their order and get believable times', async () => {
  const { runner, attempt, deployment } = await atWork();
  const hourMs = 3_600_000;
  const offsets = [0, hourMs, -hourMs, 0, -1, hourMs];
  const before = Date.now();
  for (const [index, offset] of offsets.entries()) {
    const first = index + 1;
    const lines = linesFrom(first, first, Date.now() + offset);
    runner.send({ v: 1, type: 'logs', ...attempt, first, lines, last: true });
    for (;;) if ((await runner.next('log-ack')).through >= first) break;
  }
  const { lines } = await deps.logs.read(deployment.id, 0);
  expect(lines.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6]);
  const times = lines.map(({ at }) => at);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  const skewMs = 5 * 60_000;
  for (const at of times) {
    expect(at).toBeGreaterThanOrEqual(before - skewMs);
    expect(at).toBeLessThanOrEqual(Date.now() + skewMs);
  }
});

test('fault 21: simultaneous abort, switch and result take effect in one order, every time', {
  tags: ['slow', 'matrix'],
  timeout: 600_000,
}, async () => {
  const { service, host } = await quietHost();
  const ends = { aborted: 0, succeeded: 0 };
  for (let round = 0; round < races; round++) {
    const { deploymentId, attempt } = await claimed(service, host.runnerId);
    const rows = { deployment: await deploymentRow(deploymentId), job: await jobRow(attempt.job) };
    // The host: asks, and reports what the answer makes of the job. The user: aborts at any moment of it.
    const hostSide = (async () => {
      await spin(round % 3);
      const granted = await grantSwitch(deps, attempt);
      const outcome = granted ? succeeded : ({ outcome: 'aborted', facts: {} } as const);
      await applyRunnerReport(quietDeps, { ...attempt, id: `result ${round}`, event: result(outcome) });
      return granted;
    })();
    const userSide = spin(round % 5).then(() =>
      abortDeployment(quietDeps, rows).then(
        () => true,
        () => false,
      ),
    );
    const [granted, accepted] = await Promise.all([hostSide, userSide]);
    const { state } = await jobRow(attempt.job);
    expect(state, `round ${round}`).toBe(granted ? 'succeeded' : 'aborted');
    // 200 is never followed by a success; 409 only where there is nothing left to abort.
    expect(accepted && granted, `round ${round}`).toBe(false);
    expect(accepted || granted, `round ${round}`).toBe(true);
    ends[granted ? 'succeeded' : 'aborted'] += 1;
  }
  expect(ends.aborted).toBeGreaterThan(0);
  expect(ends.succeeded).toBeGreaterThan(0);
});

test('fault 25: D1 that fails before the commit queues nothing; one whose answer is lost queues one', async () => {
  const { service } = await quietHost();
  const statuses = async () => (await jobsOf(service.id)).map(({ state }) => state);
  await expect(queueDeployment({ ...quietDeps, db: storeThatIsDown() }, service, 'manual')).rejects.toThrow();
  expect(await statuses()).toEqual([]);
  await expect(
    queueDeployment({ ...quietDeps, db: storeThatLosesAnswers() }, service, 'manual'),
  ).rejects.toThrow();
  expect(await statuses()).toEqual(['queued']);
});

test('fault 27: an alarm that fails seven times loses nothing: the next sweep starts what waits', async () => {
  const host = await newHost();
  const service = await host.addService();
  const runner = await FakeRunner.connect(host.keys);
  await setHubStore(host.runnerId, storeThatIsDown());
  const deployment = await deploy(service);
  for (let times = 0; times < 7; times++) {
    await runInDurableObject(hubOf(host.runnerId), (hub) => hub.alarm());
  }
  expect((await jobRow(deployment.jobId)).state).toBe('queued');
  await setHubStore(host.runnerId, deps.db);
  await sweepJobs(deps);
  expect((await runner.next('start')).job).toBe(deployment.jobId);
});

test('faults 22 and 27: a reader of the log sees its end, whoever ended the deployment', async () => {
  const { runner, deployment, attempt } = await atWork();
  const reader = await LogReader.open(deployment.id, 0);
  await runner.disconnect();
  await abortDeployment(deps, {
    deployment: await deploymentRow(deployment.id),
    job: await jobRow(attempt.job),
  });
  await expect
    .poll(async () => {
      await sweepJobs({ ...deps, now: () => Date.now() + 11 * 60_000 });
      return (await jobRow(attempt.job)).state;
    })
    .toBe('aborted');
  expect(await reader.closed).toBe(1000);
});

/** Rows alone: no hub hears of anything, no log is ended. */
const quietDeps = {
  ...deps,
  hubs: { ...deps.hubs, wake: async () => {}, abortJob: async () => {} },
  logs: { ...deps.logs, finish: async () => {} },
};

async function quietHost() {
  const host = await newHost();
  return { host, service: await host.addService() };
}

/** Lets other work go first, a few times. */
async function spin(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await scheduler.wait(0);
}

async function jobsOf(serviceId: string) {
  return deps.db.select().from(jobs).where(eq(jobs.serviceId, serviceId));
}

async function claimed(service: { id: string; runnerId: string }, runnerId: string) {
  const deployment = await queueDeployment(quietDeps, service, 'manual');
  const at = Date.now();
  const { claimed } = await claimNextJob(deps.db, {
    runnerId,
    at,
    deadlinesMs: { deploy: 60_000, data: 60_000 },
    places: placesOfHost,
  });
  const job = claimed?.job.id;
  if (job !== deployment.jobId) throw new Error(`claimed ${job}`);
  return { deploymentId: deployment.id, attempt: { runnerId, job, epoch: 1 } };
}
