import { expect, test } from 'vitest';
import { failureMessageMax } from '../../../protocol/job-report.ts';
import { JobFailure } from '../../../runner/base/job-failure.ts';
import { JobStopped } from '../../../runner/jobs/job.ts';
import { roundTrip, startStage } from '../../support/runner/stage.ts';
import { until } from '../../support/runner/until.ts';

const serviceId = 'svc_sharedsharedshar';

test('a start runs the job with its spec and its secrets, and reports phases and result', {
  tags: 'slow',
}, async () => {
  const { hub, start, run, result } = await startStage();
  hub.send(start('job_1', { secrets: { env: { TOKEN: 'abcdefgh' }, gitToken: 'git-token' } }));
  const { spec, secrets, context, finish } = await run(1);
  expect(spec.deploymentId).toBe('dep_job1xxxxxxxxxxxx');
  expect(secrets).toEqual({ env: { TOKEN: 'abcdefgh' }, gitToken: 'git-token' });
  expect([context.jobId, context.epoch]).toEqual(['job_1', 1]);
  context.enter('clone', {});
  context.enter('build', { commitSha: 'c0ffee' });
  finish({ outcome: 'succeeded', facts: { imageTag: 'tag' } });
  expect(await result('job_1')).toEqual({
    outcome: 'succeeded',
    facts: { commitSha: 'c0ffee', imageTag: 'tag' },
  });
  expect(hub.all('report').map(({ event }) => (event.type === 'phase' ? event.phase : event.type))).toEqual([
    'clone',
    'build',
    'result',
  ]);
});

test('a start is answered with a lease at once, which is renewed every 20 s as long as there are jobs', {
  tags: 'slow',
}, async () => {
  const { hub, start, run, pass, result } = await startStage();
  hub.send(start('job_1'));
  const alive = await hub.received('alive');
  expect(alive.jobs).toEqual([{ job: 'job_1', epoch: 1 }]);
  const { length } = hub.all('alive');
  await pass(60_000);
  expect(hub.all('alive')).toHaveLength(length + 3);
  (await run(1)).finish();
  await result('job_1');
  await roundTrip(hub);
  const ended = hub.all('alive').length;
  await pass(60_000);
  expect(hub.all('alive')).toHaveLength(ended);
});

test('a start sent twice runs once', async () => {
  const { hub, start, run, runs, result } = await startStage();
  hub.send(start('job_1'));
  hub.send(start('job_1'));
  (await run(1)).finish();
  await result('job_1');
  hub.send(start('job_2'));
  await run(2);
  expect(runs.map(({ context }) => context.jobId)).toEqual(['job_1', 'job_2']);
});

test('a start sent again after the end makes the result be sent again', async () => {
  const { hub, start, run, runs, result } = await startStage();
  hub.send(start('job_1'));
  (await run(1)).finish();
  await result('job_1');
  const results = () => hub.all('report').filter(({ event }) => event.type === 'result');
  await until('the acknowledgement', async () => {
    hub.send(start('job_1'));
    return results().length === 2;
  });
  expect(runs).toHaveLength(1);
});

test('a start of a newer epoch stops the older attempt, whose end is not reported', async () => {
  const { hub, start, run, result } = await startStage();
  hub.send(start('job_1', { epoch: 1 }));
  const older = await run(1);
  hub.send(start('job_1', { epoch: 2 }));
  const newer = await run(2);
  expect(older.context.signal.aborted).toBe(true);
  expect(newer.context.epoch).toBe(2);
  newer.finish();
  await result('job_1');
  const results = hub.all('report').filter(({ event }) => event.type === 'result');
  expect(results.map(({ epoch }) => epoch)).toEqual([2]);
});

test('a start of an older epoch changes nothing', async () => {
  const { hub, start, run, runs } = await startStage();
  hub.send(start('job_1', { epoch: 5 }));
  const { context } = await run(1);
  hub.send(start('job_1', { epoch: 4 }));
  hub.send(start('job_2'));
  await run(2);
  expect(context.signal.aborted).toBe(false);
  expect(runs).toHaveLength(2);
});

test('a start whose secrets are sealed to another attempt runs nothing and fails', async () => {
  const { hub, start, runs, result } = await startStage();
  hub.send({ ...start('job_1', { epoch: 2 }), sealed: start('job_1', { epoch: 1 }).sealed });
  expect(await result('job_1')).toMatchObject({ outcome: 'failed', code: 'internal' });
  expect(runs).toEqual([]);
});

test('slots let two jobs run at once, and the next when one ends, in their order', async () => {
  const { hub, start, run, runs } = await startStage();
  for (const job of ['job_1', 'job_2', 'job_3', 'job_4']) hub.send(start(job));
  const first = await run(1);
  await run(2);
  await hub.received('alive', ({ jobs }) => jobs.length === 4);
  expect(runs).toHaveLength(2);
  first.finish();
  const third = await run(3);
  expect(third.context.jobId).toBe('job_3');
  expect(runs).toHaveLength(3);
});

test('slots never run two jobs of one service at once, and are used by others meanwhile', async () => {
  const { hub, start, run, runs } = await startStage();
  hub.send(start('job_1', { spec: { serviceId } }));
  hub.send(start('job_2', { spec: { serviceId } }));
  hub.send(start('job_3'));
  const first = await run(1);
  expect((await run(2)).context.jobId).toBe('job_3');
  expect(runs).toHaveLength(2);
  first.finish();
  expect((await run(3)).context.jobId).toBe('job_2');
});

test('slots open only after the host was reconciled', async () => {
  const inLine = Promise.withResolvers<void>();
  const { hub, start, run, runs } = await startStage({ host: { reconcile: () => inLine.promise } });
  hub.send(start('job_1'));
  await hub.received('alive');
  await roundTrip(hub);
  expect(runs).toEqual([]);
  inLine.resolve();
  await run(1);
});

test('a stop requested by the user ends the job as aborted', async () => {
  const { hub, start, run, result } = await startStage();
  hub.send(start('job_1'));
  const { context } = await run(1);
  context.enter('clone', {});
  hub.send({ type: 'abort', job: 'job_1', epoch: 1 });
  expect(await result('job_1')).toEqual({ outcome: 'aborted', facts: {} });
  expect(context.signal.reason).toEqual(new JobStopped('aborted'));
});

test('a stop decides the outcome, whatever the stopped job throws', async () => {
  const { hub, start, run, result } = await startStage();
  hub.send(start('job_1'));
  const { context, fail } = await run(1);
  context.signal.addEventListener('abort', () => fail(new JobFailure('build_failed', 'killed')));
  hub.send({ type: 'abort', job: 'job_1', epoch: 1 });
  expect(await result('job_1')).toMatchObject({ outcome: 'aborted' });
});

test('a stop of another epoch is not meant for this attempt', async () => {
  const { hub, start, run } = await startStage();
  hub.send(start('job_1', { epoch: 2 }));
  const { context } = await run(1);
  hub.send({ type: 'abort', job: 'job_1', epoch: 1 });
  hub.send(start('job_2'));
  await run(2);
  expect(context.signal.aborted).toBe(false);
});

test('a stop of a job that waits ends it without having run', async () => {
  const { hub, start, run, runs, result } = await startStage({ settings: { concurrentBuilds: 1 } });
  hub.send(start('job_1'));
  hub.send(start('job_2'));
  await run(1);
  await hub.received('alive', ({ jobs }) => jobs.length === 2);
  hub.send({ type: 'abort', job: 'job_2', epoch: 1 });
  expect(await result('job_2')).toMatchObject({ outcome: 'aborted' });
  expect(runs).toHaveLength(1);
});

test('a stop comes with the deadline', async () => {
  const { hub, start, run, pass, result } = await startStage();
  hub.send(start('job_1', { deadlineMs: 60_000 }));
  const { context } = await run(1);
  await pass(59_000);
  expect(context.signal.aborted).toBe(false);
  await pass(1_000);
  expect(await result('job_1')).toMatchObject({ outcome: 'failed', code: 'deadline' });
});

test('a stop does not come early when the host’s clock is set', async () => {
  const { hub, start, run, clock, pass } = await startStage();
  hub.send(start('job_1', { deadlineMs: 60_000 }));
  const { context } = await run(1);
  clock.setBack(-3_600_000);
  await pass(59_000);
  expect(context.signal.aborted).toBe(false);
});

test('a stop that a job ignores is waited for two minutes, and then its slot is free again', {
  tags: 'slow',
}, async () => {
  const settings = { concurrentBuilds: 1 };
  const { hub, start, run, pass, result } = await startStage({ settings, host: { heedsSignal: false } });
  hub.send(start('job_1'));
  hub.send(start('job_2'));
  const { context } = await run(1);
  hub.send({ type: 'abort', job: 'job_1', epoch: 1 });
  await until('the abort', () => context.signal.aborted);
  await pass(119_000);
  expect(hub.all('report')).toEqual([]);
  await pass(2_000);
  expect(await result('job_1')).toMatchObject({ outcome: 'aborted' });
  expect((await run(2)).context.jobId).toBe('job_2');
});

test('a stop comes before a service is removed, and the removal waits for the end', async () => {
  const { hub, start, run, result, host } = await startStage();
  const order: string[] = [];
  host.runTask = async () => {
    order.push('removed');
    return { ok: true, detail: 'gone' };
  };
  hub.send(start('job_1', { spec: { serviceId } }));
  const { context } = await run(1);
  context.signal.addEventListener('abort', () => order.push(String(context.signal.reason.reason)));
  hub.send({
    type: 'task',
    id: 'tsk_1',
    task: {
      kind: 'remove-service',
      serviceId,
      projectId: 'prj_aaaaaaaaaaaaaaaa',
      hostnames: [],
      hostPort: 1,
    },
  });
  await hub.received('task-done');
  expect(order).toEqual(['removed', 'removed']);
  expect(await result('job_1')).toMatchObject({ outcome: 'aborted' });
});

test('a job that fails by a known failure reports its code and sentence, with secrets masked', async () => {
  const { hub, start, run, result } = await startStage();
  hub.send(start('job_1', { secrets: { gitToken: 'gh_supersecret' } }));
  const { fail } = await run(1);
  fail(new JobFailure('source_failed', 'git refused gh_supersecret'));
  expect(await result('job_1')).toEqual({
    outcome: 'failed',
    facts: {},
    code: 'source_failed',
    message: 'git refused ***',
  });
});

test('the message of a failure has a limit, and control characters hide no secret in it', async () => {
  const { hub, start, run, result } = await startStage();
  hub.send(start('job_1', { secrets: { gitToken: 'gh_supersecret' } }));
  const { fail } = await run(1);
  const words = `gh_super\0secret \u001b]0;title\u0007two\nlines ${'x'.repeat(2 ** 20)} gh_supersecret`;
  fail(new JobFailure('source_failed', words));
  const { message = '' } = (await result('job_1')) as { message?: string };
  expect(message.slice(0, 20)).toBe('*** two\nlines xxxxxx');
  expect(message.slice(-10)).toBe('xx … (cut)');
  expect(message.length).toBeLessThanOrEqual(failureMessageMax);
});

test('a job that fails by anything else is internal, and its words stay on the host', async () => {
  const { hub, start, run, result } = await startStage();
  hub.send(start('job_1'));
  (await run(1)).fail(new TypeError('x is not a function'));
  const ended = await result('job_1');
  expect(ended).toMatchObject({ outcome: 'failed', code: 'internal' });
  expect(JSON.stringify(ended)).not.toContain('not a function');
  const lines = hub.all('logs').flatMap((frame) => frame.lines.map(({ line }) => line));
  expect(lines.join()).not.toContain('not a function');
});

test('a granted switch makes the job ignore aborts and its deadline', { tags: 'slow' }, async () => {
  const { hub, start, run, pass, result } = await startStage();
  hub.send(start('job_1', { deadlineMs: 60_000 }));
  const { context, finish } = await run(1);
  const asked = context.requestSwitch();
  await hub.received('switch-request');
  hub.send({ type: 'switch-answer', job: 'job_1', epoch: 1, granted: true });
  expect(await asked).toBe(true);
  hub.send({ type: 'abort', job: 'job_1', epoch: 1 });
  await pass(120_000);
  hub.send(start('job_2'));
  await run(2);
  expect(context.signal.aborted).toBe(false);
  finish();
  expect(await result('job_1')).toMatchObject({ outcome: 'succeeded' });
});

test('the switch that was denied ends the job as aborted', async () => {
  const { hub, start, run, result } = await startStage();
  hub.send(start('job_1'));
  const { context } = await run(1);
  const asked = context.requestSwitch();
  await hub.received('switch-request');
  hub.send({ type: 'switch-answer', job: 'job_1', epoch: 1, granted: false });
  expect(await asked).toBe(false);
  expect(await result('job_1')).toMatchObject({ outcome: 'aborted' });
});

test('the switch is not granted when a connected hub does not answer for 60 s; the job says how it ends', async () => {
  const { hub, start, run, pass } = await startStage();
  hub.send(start('job_1'));
  const { context } = await run(1);
  let answer: boolean | undefined;
  void context.requestSwitch().then((granted) => {
    answer = granted;
  });
  await hub.received('switch-request');
  await pass(59_999);
  expect(answer).toBeUndefined();
  await pass(1);
  expect(answer).toBe(false);
  expect(context.signal.aborted).toBe(false);
  hub.send({ type: 'switch-answer', job: 'job_1', epoch: 1, granted: true });
});

test('the switch is waited for as long as the line is down, at most the 10 min after which the job is given up', async () => {
  const { hub, start, run, clock } = await startStage();
  hub.send(start('job_1'));
  const { context } = await run(1);
  let answer: boolean | undefined;
  void context.requestSwitch().then((granted) => {
    answer = granted;
  });
  await hub.received('switch-request');
  hub.refuseUpgrade = { status: 503, body: '' };
  hub.drop();
  await until('the pause', () => clock.waiting.some((ms) => ms >= 500 && ms <= 1_000));
  await clock.advance(599_999);
  expect(answer).toBeUndefined();
  await clock.advance(1);
  expect(answer).toBe(false);
});

test('the switch is requested again on a new connection, when question or answer were lost', async () => {
  const { hub, start, run, clock } = await startStage();
  hub.send(start('job_1'));
  const { context } = await run(1);
  const asked = context.requestSwitch();
  await hub.received('switch-request');
  hub.drop();
  await until('the pause', () => clock.waiting.some((ms) => ms >= 500 && ms <= 1_000));
  await clock.advance(1_000);
  await hub.welcomed(2);
  await until('the second question', () => hub.all('switch-request').length >= 2);
  hub.send({ type: 'switch-answer', job: 'job_1', epoch: 1, granted: true });
  expect(await asked).toBe(true);
});

test('the switch is not granted by an answer to another attempt', async () => {
  const { hub, start, run, pass } = await startStage();
  hub.send(start('job_1', { epoch: 2 }));
  const { context } = await run(1);
  const asked = context.requestSwitch();
  await hub.received('switch-request');
  hub.send({ type: 'switch-answer', job: 'job_1', epoch: 1, granted: true });
  hub.send({ type: 'request', id: 'x', deadlineMs: 1_000, ask: { op: 'probe-route', hostname: 'a' } });
  await hub.received('response');
  await pass(60_000);
  expect(await asked).toBe(false);
});
