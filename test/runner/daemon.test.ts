import { expect, test } from 'vitest';
import { requestPlace } from '../../protocol/sealed-box.ts';
import { startDaemon } from '../../runner/daemon.ts';
import { readIdentity } from '../../runner/setup/identity.ts';
import { runnerId } from '../support/runner/enrolled.ts';
import { seal } from '../support/runner/seal.ts';
import { silentLogger } from '../support/runner/silent-logger.ts';
import { acknowledgeLogs, roundTrip, startStage, succeeded } from '../support/runner/stage.ts';
import { until } from '../support/runner/until.ts';

test('a job’s log reaches the hub before the result that ends it', { tags: 'slow' }, async () => {
  const { hub, start, run, result, clock } = await startStage();
  const order: string[] = [];
  hub.onFrame = (frame) => {
    order.push(frame.type);
    if (frame.type === 'logs') setImmediate(acknowledgeLogs, hub, frame);
  };
  hub.send(start('job_1'));
  const { context, finish } = await run(1);
  context.log.line('stdout', 'one');
  await clock.advance(1_000);
  context.log.line('stdout', 'two');
  finish();
  await result('job_1');
  const lines = hub.all('logs').flatMap((frame) => frame.lines.map(({ line }) => line));
  expect(lines).toEqual(['one', 'two', 'Done.']);
  expect(hub.all('logs').map(({ last }) => last)).toEqual([false, true]);
  expect(order.indexOf('report')).toBeGreaterThan(order.lastIndexOf('logs'));
});

test('a job’s log is flushed at once when somebody begins to watch, and every 250 ms from then on', async () => {
  const { hub, start, run, clock } = await startStage();
  hub.send(start('job_1'));
  const { context } = await run(1);
  context.log.line('stdout', 'one');
  hub.send({ type: 'watch', job: 'job_1' });
  await hub.received('logs');
  hub.onFrame = () => {};
  context.log.line('stdout', 'two');
  await clock.advance(1_000);
  hub.send({ type: 'watch', job: 'job_1' });
  await roundTrip(hub);
  context.log.line('stdout', 'three');
  await clock.advance(250);
  await hub.received('logs', ({ lines }) => lines[0]?.line === 'three');
});

test('a job’s log continues with the same numbers in a newer attempt', async () => {
  const { hub, start, run, result } = await startStage();
  hub.send(start('job_1', { epoch: 1 }));
  (await run(1)).context.log.line('stdout', 'first attempt');
  hub.send(start('job_1', { epoch: 2 }));
  (await run(2)).finish();
  await result('job_1');
  const lines = hub
    .all('logs')
    .flatMap(({ first, lines: some }) => some.map(({ line }, index) => [first + index, line]));
  expect(lines).toEqual([
    [1, 'first attempt'],
    [2, 'Done.'],
  ]);
});

const service = { serviceId: 'svc_1', deploymentId: 'dep_1', state: 'running' as const, reachable: true };

test('the runner reports what runs on the host after every connect and after every change, and not otherwise', {
  tags: 'slow',
}, async () => {
  let services = [service];
  const { hub, pass, clock } = await startStage({ host: { observe: async () => services } });
  await hub.received('observed');
  await pass(60_000);
  expect(hub.all('observed')).toHaveLength(1);
  services = [{ ...service, reachable: false }];
  await pass(15_000);
  expect(hub.all('observed')).toHaveLength(2);
  hub.drop();
  await until('the pause', () => clock.waiting.some((ms) => ms >= 500 && ms <= 1_000));
  await clock.advance(1_000);
  await hub.welcomed(2);
  await until('the third', () => hub.all('observed').length === 3);
});

test('the list of what runs on the host is read again after a failure', async () => {
  let fails = true;
  const observe = async () => {
    if (fails) throw new Error('docker is away');
    return [service];
  };
  const { hub, pass } = await startStage({ host: { observe } });
  await pass(30_000);
  expect(hub.all('observed')).toEqual([]);
  fails = false;
  await pass(15_000);
  expect(hub.all('observed')).toHaveLength(1);
});

test('a question is answered with what a real request through the proxy showed', async () => {
  const { hub } = await startStage({
    host: { answer: async (ask) => ({ ok: true, detail: `${JSON.stringify(ask)} answered` }) },
  });
  hub.send({
    type: 'request',
    id: 'q1',
    deadlineMs: 1_000,
    ask: { op: 'probe-route', hostname: 'a.localhost' },
  });
  const { outcome } = await hub.received('response');
  expect(outcome).toEqual({
    ok: true,
    value: { ok: true, detail: '{"op":"probe-route","hostname":"a.localhost"} answered' },
  });
});

test('a question is opened where it is sealed for this host and this kind of question, and nowhere else', async () => {
  const { hub, dataDirectory } = await startStage({
    host: { answer: async (ask, open) => (ask.op === 'namecheap' ? open(ask.op, ask.sealed) : undefined) },
  });
  const { sealingKey } = readIdentity(dataDirectory);
  const askAt = async (id: string, place: ReturnType<typeof requestPlace>) => {
    const ask = { op: 'namecheap', sealed: seal(sealingKey, place, 'the question') } as const;
    hub.send({ type: 'request', id, deadlineMs: 1_000, ask });
    return (await hub.received('response', (frame) => frame.id === id)).outcome;
  };
  const place = requestPlace(runnerId, 'namecheap');
  expect(await askAt('q1', place)).toEqual({ ok: true, value: 'the question' });
  for (const other of [
    requestPlace(runnerId, 'probe-route'),
    requestPlace('run_other', 'namecheap'),
    { ...place, epoch: 1 },
  ]) {
    expect(await askAt(JSON.stringify(other), other)).toMatchObject({ ok: false, code: 'internal' });
  }
});

test('a question that fails or takes too long is answered too', async () => {
  const { hub, clock, host } = await startStage({
    host: { answer: () => Promise.reject(new Error('no proxy')) },
  });
  hub.send({ type: 'request', id: 'q1', deadlineMs: 1_000, ask: { op: 'probe-route', hostname: 'a' } });
  expect((await hub.received('response')).outcome).toEqual({
    ok: false,
    code: 'internal',
    message: 'no proxy',
  });
  host.answer = () => new Promise(() => {});
  hub.send({ type: 'request', id: 'q2', deadlineMs: 1_000, ask: { op: 'probe-route', hostname: 'a' } });
  await until('the limit', () => clock.waiting.includes(1_000));
  await clock.advance(1_000);
  expect((await hub.received('response', ({ id }) => id === 'q2')).outcome).toMatchObject({
    code: 'timeout',
  });
});

test('a stop of the runner ends jobs before their switch, leaves their result for the next start, and takes no new ones', async () => {
  const { hub, start, run, daemon, dataDirectory } = await startStage();
  hub.onFrame = () => {};
  hub.send(start('job_1'));
  const { context } = await run(1);
  await daemon.stop();
  expect(context.signal.reason).toMatchObject({ reason: 'shutdown' });
  const next = await startStage({ dataDirectory, hub });
  expect(hub.all('hello').at(-1)?.jobs).toEqual([{ job: 'job_1', epoch: 1 }]);
  expect(await next.result('job_1')).toMatchObject({ outcome: 'failed', code: 'runner_restarted' });
  expect(next.recoveries).toEqual([]);
});

test('a stop of the runner does not wait longer than 5 s for a job that does not end; the next start recovers it', {
  tags: 'slow',
}, async () => {
  const { hub, start, run, daemon, dataDirectory, clock } = await startStage({
    host: { heedsSignal: false },
  });
  hub.send(start('job_1'));
  const { context } = await run(1);
  context.checkpoint({ image: 'one' });
  context.checkpoint({ container: 'two' });
  const stopped = daemon.stop();
  await clock.advance(5_000);
  await stopped;
  const next = await startStage({ dataDirectory, hub });
  expect(await next.result('job_1')).toMatchObject({ outcome: 'succeeded' });
  expect(next.recoveries[0]?.checkpoint).toEqual({ image: 'one', container: 'two' });
});

test('a stop of the runner leaves a job that waited for its slot to be sent again', async () => {
  const settings = { concurrentBuilds: 1 };
  const { hub, start, run, daemon, dataDirectory } = await startStage({ settings });
  hub.send(start('job_1'));
  hub.send(start('job_2'));
  await run(1);
  await hub.received('alive', ({ jobs }) => jobs.length === 2);
  await daemon.stop();
  const next = await startStage({ dataDirectory, hub });
  expect(
    hub
      .all('hello')
      .at(-1)
      ?.jobs.map(({ job }) => job),
  ).not.toContain('job_2');
  hub.send(start('job_2'));
  expect((await next.run(1)).context.jobId).toBe('job_2');
});

test('recovery is retried while Docker is away, and then ends the job by the rule of its kind', async () => {
  const first = await startStage({ host: { heedsSignal: false } });
  const { hub, start, run, daemon, dataDirectory, clock } = first;
  hub.send(start('job_1'));
  (await run(1)).context.enter('build', { commitSha: 'c0ffee' });
  const stopped = daemon.stop();
  await clock.advance(5_000);
  await stopped;
  let tries = 0;
  const next = await startStage({
    dataDirectory,
    hub,
    host: {
      recover: async () => {
        tries += 1;
        if (tries < 3) throw new Error('docker is away');
        return succeeded;
      },
    },
  });
  await next.pass(10_000);
  expect(await next.result('job_1')).toEqual({ outcome: 'succeeded', facts: { commitSha: 'c0ffee' } });
  expect(tries).toBe(3);
});

test('a data directory that holds no enrolled runner is refused with a way out', async () => {
  await expect(
    startDaemon({
      dataDirectory: '/nonexistent/longshore',
      logger: silentLogger,
      stopped: () => {},
      createHostWork: () => Promise.reject(new Error('must not be reached')),
    }),
  ).rejects.toThrow(/enroll --url URL --token TOKEN --data \/nonexistent\/longshore/);
});

test('a data directory is free again when the start failed', async () => {
  const { daemon, dataDirectory, hub } = await startStage();
  await daemon.stop();
  const refused = startDaemon({
    dataDirectory,
    logger: silentLogger,
    stopped: () => {},
    createHostWork: () => Promise.reject(new Error('port 80 is taken')),
  });
  await expect(refused).rejects.toThrow('port 80 is taken');
  await startStage({ dataDirectory, hub });
});
