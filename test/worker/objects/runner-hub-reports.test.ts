/** @module-tag slow */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { JobEvent, JobResult } from '../../../protocol/job-report.ts';
import type { ServiceTrouble } from '../../../protocol/service-trouble.ts';
import { auditLog } from '../../../worker/store/schema/audit.ts';
import { projects } from '../../../worker/store/schema/projects.ts';
import { services } from '../../../worker/store/schema/services.ts';
import { abortDeployment } from '../../../worker/usecases/jobs/abort-deployment.ts';
import { createClient, deps, insertKey } from '../../support/worker/api.ts';
import {
  setHubStore,
  storeThatIsDown,
  storeThatLosesAnswers,
} from '../../support/worker/d1/failing-store.ts';
import { FakeRunner, hubOf, pump } from '../../support/worker/fake-runner.ts';
import { deploy, deploymentRow, jobRow, newHost, runnerRow, serviceRow } from '../../support/worker/host.ts';
import { LogReader } from '../../support/worker/log-reader.ts';

const facts = { commitSha: 'c0ffee', imageTag: 'tag', containerName: 'name', framework: 'nextjs' } as const;
const ended = (result: JobResult): JobEvent => ({ type: 'result', result });
const succeeded = ended({ outcome: 'succeeded', facts });
const failed = ended({ outcome: 'failed', facts: {}, code: 'build_failed', message: 'The build failed.' });
const aborted = ended({ outcome: 'aborted', facts: {} });

async function started() {
  const host = await newHost();
  const service = await host.addService();
  const runner = await FakeRunner.connect(host.keys);
  const next = async () => {
    const deployment = await deploy(service);
    const { job, epoch } = await runner.next('start');
    return { deployment, attempt: { job, epoch } };
  };
  return { host, service, runner, next, ...(await next()) };
}

async function abort(deploymentId: string) {
  const deployment = await deploymentRow(deploymentId);
  await abortDeployment(deps, { deployment, job: await jobRow(deployment.jobId) });
}

test('phases fill in the deployment as they come, and never go back', async () => {
  const { service, runner, deployment, attempt } = await started();
  await runner.report(attempt, { type: 'phase', phase: 'clone', facts: { commitSha: 'c0ffee' } });
  const first = await deploymentRow(deployment.id);
  expect(first).toMatchObject({
    status: 'building',
    commitSha: 'c0ffee',
    imageTag: null,
    startedAt: expect.any(Number),
  });
  await runner.report(attempt, {
    type: 'phase',
    phase: 'start',
    facts: { imageTag: 'tag', detectedBuildMethod: 'dockerfile' },
  });
  await runner.report(attempt, { type: 'phase', phase: 'build', facts: {} });
  expect((await jobRow(attempt.job)).phase).toBe('start');
  expect(await deploymentRow(deployment.id)).toEqual({ ...first, imageTag: 'tag' });
  expect(await serviceRow(service.id)).toMatchObject({
    status: 'building',
    detectedBuildMethod: 'dockerfile',
  });
});

test("the repository's suggestions are kept until it suggests something else", async () => {
  const { service, runner, attempt, next } = await started();
  const suggestedKeys = [{ key: 'STRIPE_KEY', label: 'from the dashboard' }];
  await runner.report(attempt, { type: 'phase', phase: 'build', facts: { suggestedKeys } });
  expect((await serviceRow(service.id)).suggestedKeys).toEqual(suggestedKeys);
  await runner.report(attempt, failed);
  expect((await serviceRow(service.id)).suggestedKeys).toEqual(suggestedKeys);
  const second = await next();
  await runner.report(second.attempt, ended({ outcome: 'succeeded', facts: { suggestedKeys: [] } }));
  expect((await serviceRow(service.id)).suggestedKeys).toEqual([]);
});

test("the source's files are kept until another source is fetched, without names that only a newer host knows", async () => {
  const { service, runner, attempt } = await started();
  const files = ['Pipfile', 'x-of-tomorrow.toml'];
  await runner.report(attempt, { type: 'phase', phase: 'build', facts: { sourceFiles: files } });
  expect((await serviceRow(service.id)).sourceFiles).toEqual(['Pipfile']);
  await runner.report(attempt, failed);
  expect((await serviceRow(service.id)).sourceFiles).toEqual(['Pipfile']);
});

test('a success makes the deployment live, supersedes the one before, and ends the log', async () => {
  const { service, runner, deployment, attempt, next } = await started();
  const reader = await LogReader.open(deployment.id, 0);
  await runner.report(attempt, succeeded, 'first-result');
  expect(await jobRow(attempt.job)).toMatchObject({ state: 'succeeded', resultId: 'first-result' });
  expect(await deploymentRow(deployment.id)).toMatchObject({
    status: 'running',
    finishedAt: expect.any(Number),
    commitSha: 'c0ffee',
    imageTag: 'tag',
    containerName: 'name',
  });
  expect(await serviceRow(service.id)).toMatchObject({
    status: 'active',
    framework: 'nextjs',
    lastDeployedAt: expect.any(Number),
  });
  expect(await reader.closed).toBe(1000);

  const second = await next();
  await runner.report(second.attempt, succeeded);
  expect((await deploymentRow(deployment.id)).status).toBe('superseded');
  expect((await deploymentRow(second.deployment.id)).status).toBe('running');
});

test('a failure leaves the service active while the version before serves, and failed when nothing does', async () => {
  const { service, runner, deployment, attempt, next } = await started();
  await runner.report(attempt, failed);
  expect(await jobRow(attempt.job)).toMatchObject({
    state: 'failed',
    failureCode: 'build_failed',
    failureMessage: 'The build failed.',
  });
  expect((await serviceRow(service.id)).status).toBe('failed');
  const second = await next();
  await runner.report(second.attempt, succeeded);
  const third = await next();
  await runner.report(third.attempt, failed);
  expect((await serviceRow(service.id)).status).toBe('active');
  const statuses = [deployment, second.deployment, third.deployment].map(
    async ({ id }) => (await deploymentRow(id)).status,
  );
  expect(await Promise.all(statuses)).toEqual(['failed', 'running', 'failed']);
  const told = [deployment, second.deployment, third.deployment].map(async ({ id }) =>
    (await deps.db.select().from(auditLog).where(eq(auditLog.resourceId, id)))
      .filter(({ actor }) => actor === 'system')
      .map(({ route, status }) => [route, status]),
  );
  const event = [['deployment.failed build_failed', 500]];
  expect(await Promise.all(told)).toEqual([event, [['deployment.first_success', 200]], event]);
});

test('a report that is sent again is acknowledged again and changes nothing, whatever came between', async () => {
  const { runner, deployment, attempt, next, service } = await started();
  await runner.report(attempt, succeeded, 'same-id');
  const second = await next();
  await runner.report(second.attempt, succeeded);
  const before = [
    await jobRow(attempt.job),
    await deploymentRow(deployment.id),
    await serviceRow(service.id),
  ];
  await runner.report(attempt, succeeded, 'same-id');
  expect([
    await jobRow(attempt.job),
    await deploymentRow(deployment.id),
    await serviceRow(service.id),
  ]).toEqual(before);
  expect((await deploymentRow(second.deployment.id)).status).toBe('running');
});

test.each([
  ['after the end', 1],
  ['of another attempt', 2],
])('a report %s is acknowledged and dropped', async (when, epoch) => {
  const { runner, deployment, attempt } = await started();
  if (when === 'after the end') await runner.report(attempt, failed);
  const before = [await jobRow(attempt.job), await deploymentRow(deployment.id)];
  await runner.report({ ...attempt, epoch }, succeeded);
  await runner.report({ ...attempt, epoch }, { type: 'phase', phase: 'health', facts });
  expect([await jobRow(attempt.job), await deploymentRow(deployment.id)]).toEqual(before);
});

test("another host's report of the job is dropped", async () => {
  const { deployment, attempt } = await started();
  const other = await FakeRunner.connect((await newHost()).keys);
  await other.report(attempt, succeeded);
  expect(await other.askSwitch(attempt)).toBe(false);
  expect((await deploymentRow(deployment.id)).status).not.toBe('running');
});

test('a report is not acknowledged while the store is down, and is written when it comes again', async () => {
  const { host, runner, deployment, attempt } = await started();
  await setHubStore(host.runnerId, storeThatIsDown());
  runner.send({ v: 1, type: 'report', ...attempt, id: 'once', event: succeeded });
  // No other frame is answered without the store, but a question of ours comes after all that was sent before.
  await pump(host.runnerId);
  await hubOf(host.runnerId).request(host.runnerId, { op: 'probe-route', hostname: 'a.localhost' }, 1);
  await runner.next('request');
  expect(runner.unreadNow).toEqual([]);
  expect((await jobRow(attempt.job)).state).toBe('active');
  await setHubStore(host.runnerId, deps.db);
  await runner.report(attempt, succeeded, 'once');
  expect((await deploymentRow(deployment.id)).status).toBe('running');
});

test('a report whose write was committed but not answered is acknowledged at its repeat, once written', async () => {
  const { host, service, runner, attempt } = await started();
  await setHubStore(host.runnerId, storeThatLosesAnswers());
  runner.send({ v: 1, type: 'report', ...attempt, id: 'once', event: succeeded });
  await runner.askSwitch(attempt);
  await evictDurableObject(hubOf(host.runnerId), { webSockets: 'hibernate' });
  const written = await serviceRow(service.id);
  expect(written.status).toBe('active');
  await runner.report(attempt, succeeded, 'once');
  expect(await serviceRow(service.id)).toEqual(written);
});

test('a service that is deleted during a deployment leaves nothing behind, and its late reports bring nothing back', async () => {
  const { host, service, runner, attempt } = await started();
  await deps.db.delete(services).where(eq(services.id, service.id));
  await hubOf(host.runnerId).wake(host.runnerId);
  expect(await runner.next('abort')).toMatchObject(attempt);
  runner.send({
    v: 1,
    type: 'logs',
    ...attempt,
    first: 1,
    lines: [{ stream: 'stdout', at: 1, line: 'x' }],
    last: true,
  });
  expect(await runner.next('log-ack')).toMatchObject({ job: attempt.job, through: 1 });
  expect(await runner.askSwitch(attempt)).toBe(false);
  await runner.report(attempt, succeeded);
  expect(await deps.db.select().from(services).where(eq(services.id, service.id))).toEqual([]);
  await deps.db.delete(projects).where(eq(projects.id, host.project.id));
});

test('an abort before the switch is passed on, denies the switch and ends the deployment as aborted', async () => {
  const { runner, service, deployment, attempt } = await started();
  await runner.report(attempt, { type: 'phase', phase: 'build', facts: {} });
  await abort(deployment.id);
  expect(await runner.next('abort')).toMatchObject(attempt);
  expect(await runner.askSwitch(attempt)).toBe(false);
  await runner.report(attempt, aborted);
  expect((await deploymentRow(deployment.id)).status).toBe('aborted');
  expect((await serviceRow(service.id)).status).toBe('idle');
});

test('an abort after the granted switch is refused with 409, also once later phases were reported', async () => {
  const { runner, deployment, attempt } = await started();
  expect(await runner.askSwitch(attempt)).toBe(true);
  expect(await runner.askSwitch(attempt)).toBe(true);
  await runner.report(attempt, { type: 'phase', phase: 'finish', facts: {} });
  await expect(abort(deployment.id)).rejects.toMatchObject({ code: 'cannot_abort' });
  await runner.report(attempt, succeeded);
  await expect(abort(deployment.id)).rejects.toMatchObject({ code: 'cannot_abort' });
});

test('exactly one of a simultaneous abort and switch wins, thirty times', async () => {
  const { runner, next, ...first } = await started();
  let { deployment, attempt } = first;
  for (let round = 0; round < 30; round++) {
    const [granted, refused] = await Promise.all([
      runner.askSwitch(attempt),
      abort(deployment.id).then(
        () => false,
        () => true,
      ),
    ]);
    expect(granted).toBe(refused);
    await runner.report(attempt, granted ? succeeded : aborted);
    ({ deployment, attempt } = await next());
  }
});

test('an abort that was asked for while the host was away reaches it at its return', async () => {
  const { host, runner, deployment, attempt } = await started();
  await runner.disconnect();
  await abort(deployment.id);
  const back = await FakeRunner.connect(host.keys, { jobs: [attempt] });
  expect(await back.next('abort')).toMatchObject(attempt);
});

test('frames of one job are applied in the order they came, however slow the store is', async () => {
  const { host, runner, deployment, attempt } = await started();
  await runInDurableObject(hubOf(host.runnerId), (hub) => {
    hub.deps = { ...hub.deps, db: slower(hub.deps.db) };
  });
  for (const phase of ['clone', 'build', 'start'] as const) {
    runner.send({
      v: 1,
      type: 'report',
      ...attempt,
      id: phase,
      event: { type: 'phase', phase, facts: { commitSha: phase } },
    });
  }
  const granted = runner.askSwitch(attempt);
  for (const id of ['clone', 'build', 'start']) expect((await runner.next('report-ack')).id).toBe(id);
  expect(await granted).toBe(true);
  expect((await deploymentRow(deployment.id)).commitSha).toBe('start');
});

/** The first batch takes longest: without a queue the last one would be overtaken. */
function slower(db: typeof deps.db): typeof deps.db {
  let delayMs = 60;
  return new Proxy(db, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (name !== 'batch') return typeof member === 'function' ? member.bind(target) : member;
      return async (statements: never) => {
        delayMs -= 20;
        await scheduler.wait(Math.max(delayMs, 0));
        return target.batch(statements);
      };
    },
  });
}

test("log lines reach the deployment's log and are acknowledged when stored; those of other attempts go nowhere", async () => {
  const { runner, deployment, attempt } = await started();
  const line = (text: string) => ({ stream: 'stdout' as const, at: Date.now(), line: text });
  runner.send({ v: 1, type: 'logs', ...attempt, first: 1, lines: [line('a'), line('b')], last: false });
  runner.send({ v: 1, type: 'logs', ...attempt, first: 3, lines: [line('c')], last: true });
  await expect.poll(async () => (await runner.next('log-ack')).through).toBe(3);
  runner.send({ v: 1, type: 'logs', ...attempt, epoch: 9, first: 4, lines: [line('ghost')], last: true });
  expect(await runner.next('log-ack')).toMatchObject({ watched: false });
  const { lines } = await deps.logs.read(deployment.id, 0);
  expect(lines.map((one) => [one.id, one.line])).toEqual([
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
  ]);
});

test('a reader makes the runner flush faster, by "watch" and by "watched" in acknowledgements', async () => {
  const { host, runner, deployment, attempt } = await started();
  await LogReader.open(deployment.id, 0);
  await deps.hubs.watchLog(host.runnerId, attempt.job);
  expect(await runner.next('watch')).toMatchObject({ job: attempt.job });
  runner.send({
    v: 1,
    type: 'logs',
    ...attempt,
    first: 1,
    lines: [{ stream: 'stdout', at: 1, line: 'x' }],
    last: true,
  });
  expect(await runner.next('log-ack')).toMatchObject({ through: 1, watched: true });
});

test('observations of the host are written when they differ', async () => {
  const { host, runner, service, deployment, attempt, next } = await started();
  const observe = async (state: 'running' | 'crashed' | 'stopped', reachable: boolean) => {
    runner.send({
      v: 1,
      type: 'observed',
      services: [{ serviceId: service.id, deploymentId: deployment.id, state, reachable }],
    });
    await runInDurableObject(hubOf(host.runnerId), async () => {});
    await expect.poll(() => serviceRow(service.id)).toMatchObject({ reachable });
    return (await serviceRow(service.id)).status;
  };
  expect(await observe('running', true)).toBe('building');
  await runner.report(attempt, succeeded);
  expect(await observe('crashed', false)).toBe('crashed');
  expect(await observe('stopped', true), 'nothing new').toBe('crashed');
  expect(await observe('running', true)).toBe('active');
  const status = async () => (await serviceRow(service.id)).status;

  await observe('crashed', false);
  const second = await next();
  expect(await status()).toBe('building');
  await runner.report(second.attempt, aborted);
  expect(await status(), 'a crash is not forgotten over an aborted deployment').toBe('crashed');

  const third = await next();
  expect(await observe('running', true)).toBe('building');
  expect(await observe('crashed', false)).toBe('building');
  await runner.report(third.attempt, failed);
  expect(await status(), 'nor one that was seen while it was at work').toBe('crashed');
  const fourth = await next();
  await runner.report(fourth.attempt, succeeded);
  expect(await status(), 'a new version is up').toBe('active');
});

test('the services of a disconnected host are not reachable until it reconnects', async () => {
  const { host, runner, service, deployment, attempt } = await started();
  await runner.report(attempt, succeeded);
  const { token } = await insertKey();
  const call = createClient();
  const reachable = async () => {
    const { service: one } = (await call('GET', `/api/services/${service.id}/overview`, { token })).body;
    const { project } = (await call('GET', `/api/projects/${host.project.id}`, { token })).body;
    return [one.reachable, project.services[0].reachable];
  };
  const services = [
    { serviceId: service.id, deploymentId: deployment.id, state: 'running' as const, reachable: true },
  ];
  runner.send({ v: 1, type: 'observed', services });
  await expect.poll(reachable).toEqual([true, true]);
  await runner.disconnect();
  await expect.poll(reachable).toEqual([false, false]);
  await FakeRunner.connect(host.keys);
  await expect.poll(reachable).toEqual([true, true]);
});

test('the reason of a crash is a warning in the overview until the version runs again', async () => {
  const { runner, service, deployment, attempt } = await started();
  await runner.report(attempt, succeeded);
  const { token } = await insertKey();
  const warnings = async () =>
    (await createClient()('GET', `/api/services/${service.id}/overview`, { token })).body.warnings;
  const observe = (state: 'running' | 'crashed', trouble?: ServiceTrouble) =>
    runner.send({
      v: 1,
      type: 'observed',
      services: [
        {
          serviceId: service.id,
          deploymentId: deployment.id,
          state,
          reachable: false,
          ...(trouble && { trouble }),
        },
      ],
    });
  observe('crashed', { sentence: 'The container ended with exit code 7.', lastLines: ['giving', 'up'] });
  await expect.poll(warnings).toEqual(['The container ended with exit code 7. Its last lines:\ngiving\nup']);
  const crash = { at: 1, exitCode: 137, outOfMemory: true };
  observe('crashed', { sentence: 'It ran out of memory.', crash, lastLines: [] });
  await expect.poll(warnings).toEqual(['It ran out of memory. It printed no output.']);
  observe('running', { sentence: 'All 100 connections of this database are in use.', lastLines: [] });
  await expect.poll(warnings).toEqual(['All 100 connections of this database are in use.']);
  observe('running');
  await expect.poll(warnings).toEqual([]);
});

test.each([
  ['that its host stopped for its disk', { cause: 'disk_limit' as const }, 'service.stopped disk_limit', 507],
  ['that ended', { crash: { at: 1, exitCode: 7, outOfMemory: false } }, 'service.crashed exited', 500],
  [
    'without memory',
    { crash: { at: 1, exitCode: 137, outOfMemory: true } },
    'service.crashed out_of_memory',
    500,
  ],
])(
  'a container %s is one event, and another one when it happens again',
  {},
  async (_, why, route, status) => {
    const { runner, service, deployment, attempt } = await started();
    await runner.report(attempt, succeeded);
    const sentence = 'The container ended.';
    const observe = (state: 'running' | 'crashed', reachable: boolean) => {
      const trouble = state === 'crashed' && { sentence, ...why, lastLines: [] };
      const seen = { serviceId: service.id, deploymentId: deployment.id, state, reachable };
      runner.send({ v: 1, type: 'observed', services: [{ ...seen, ...(trouble && { trouble }) }] });
      return expect
        .poll(() => serviceRow(service.id))
        .toMatchObject({ reachable, crashed: state === 'crashed' });
    };
    const entries = async () =>
      (await deps.db.select().from(auditLog).where(eq(auditLog.resourceId, service.id))).filter(
        ({ actor }) => actor === 'system',
      );
    await observe('crashed', false);
    await observe('crashed', true);
    expect(await entries()).toMatchObject([{ route, status }]);
    await observe('running', true);
    await observe('crashed', false);
    expect(await entries()).toHaveLength(2);
  },
);

test("a host can't speak for another host's service", async () => {
  const { service, deployment } = await started();
  const other = await FakeRunner.connect((await newHost()).keys);
  other.send({
    v: 1,
    type: 'observed',
    services: [{ serviceId: service.id, deploymentId: deployment.id, state: 'running', reachable: true }],
  });
  await other.disconnect();
  // Written after what the frame changed, by the same queue.
  await expect.poll(() => runnerRow(other.runnerId)).toMatchObject({ connectedAt: null });
  expect((await serviceRow(service.id)).reachable).toBe(false);
});

test('an observation that cannot be written is repeated: the runner is made to reconnect', async () => {
  const { host, runner, service, deployment, attempt } = await started();
  await runner.report(attempt, succeeded);
  const observed = {
    v: 1,
    type: 'observed' as const,
    services: [
      { serviceId: service.id, deploymentId: deployment.id, state: 'crashed' as const, reachable: false },
    ],
  };
  await setHubStore(host.runnerId, storeThatIsDown());
  runner.send(observed);
  expect((await runner.closed).code).toBe(1013);
  await setHubStore(host.runnerId, deps.db);
  const again = await FakeRunner.connect(host.keys);
  again.send(observed);
  await expect.poll(() => serviceRow(service.id)).toMatchObject({ status: 'crashed' });
});
