import { expect, test } from 'vitest';
import type { RunnerFrame } from '../../../protocol/frames.ts';
import type { HostTask, ProxyResult } from '../../../protocol/host-task.ts';
import { openJournal } from '../../../runner/journal/journal.ts';
import { TaskRunner } from '../../../runner/scheduling/task-runner.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const projectId = 'prj_aaaaaaaaaaaaaaaa';
const removeService = (serviceId = 'svc_aaaaaaaaaaaaaaaa'): HostTask => ({
  kind: 'remove-service',
  serviceId,
  projectId,
  hostnames: [],
  hostPort: 41_000,
});
const removeProject: HostTask = { kind: 'remove-project', projectId };
const ok: ProxyResult = { ok: true, detail: 'gone' };

function stage(run: (task: HostTask) => Promise<ProxyResult>, directory = temporaryDirectory()) {
  const clock = manualClock();
  const frames: RunnerFrame[] = [];
  const stopped: string[] = [];
  const tasks = new TaskRunner({
    records: openJournal(directory, 0).tasks,
    clock,
    logger: silentLogger,
    send: (frame) => frames.push(frame) > 0,
    run,
    stopService: async (serviceId) => void stopped.push(serviceId),
  });
  const take = (id: string, task: HostTask) => tasks.take({ v: 1, type: 'task', id, task });
  const answers = () =>
    frames.map((frame) => (frame.type === 'task-done' ? [frame.id, frame.proxy.detail] : frame));
  return { clock, take, answers, stopped, directory };
}

test('a host task is run once however often it is sent, and answered each time after its end', async () => {
  let runs = 0;
  const gate = Promise.withResolvers<ProxyResult>();
  const { take, answers, clock } = stage(() => {
    runs += 1;
    return gate.promise;
  });
  take('tsk_1', removeService());
  take('tsk_1', removeService());
  gate.resolve(ok);
  await clock.advance(0);
  take('tsk_1', removeService());
  expect(runs).toBe(1);
  expect(answers()).toEqual([
    ['tsk_1', 'gone'],
    ['tsk_1', 'gone'],
  ]);
});

test('a host task that was done before a restart of the runner is answered, not run', async () => {
  const first = stage(async () => ok);
  first.take('tsk_1', removeService());
  await first.clock.advance(0);
  const second = stage(async () => {
    throw new Error('must not run');
  }, first.directory);
  second.take('tsk_1', removeService());
  expect(second.answers()).toEqual([['tsk_1', 'gone']]);
});

test('a host task does not wait for another service of its project', async () => {
  const begun: string[] = [];
  const { take, clock } = stage((task) => {
    if (task.kind === 'remove-service') begun.push(task.serviceId);
    return Promise.withResolvers<ProxyResult>().promise;
  });
  take('tsk_1', removeService('svc_aaaaaaaaaaaaaaaa'));
  take('tsk_2', removeService('svc_bbbbbbbbbbbbbbbb'));
  await clock.advance(0);
  expect(begun).toEqual(['svc_aaaaaaaaaaaaaaaa', 'svc_bbbbbbbbbbbbbbbb']);
});

test('a host task of a project waits for those of its services: they go before the network', async () => {
  const order: string[] = [];
  const gate = Promise.withResolvers<ProxyResult>();
  const { take, clock } = stage((task) => {
    order.push(task.kind);
    return task.kind === 'remove-service' ? gate.promise : Promise.resolve(ok);
  });
  take('tsk_1', removeService());
  take('tsk_2', removeProject);
  await clock.advance(60_000);
  expect(order).toEqual(['remove-service']);
  gate.resolve(ok);
  await clock.advance(0);
  expect(order).toEqual(['remove-service', 'remove-project']);
});

test('a host task of a service waits for the one before: names never arrive after its removal', async () => {
  const order: string[] = [];
  const gate = Promise.withResolvers<ProxyResult>();
  const { take, clock } = stage((task) => {
    order.push(task.kind);
    return task.kind === 'set-hostnames' ? gate.promise : Promise.resolve(ok);
  });
  const assigned = { revision: 1, names: [], publicIp: null, changed: [] };
  take('tsk_1', { kind: 'set-hostnames', serviceId: 'svc_aaaaaaaaaaaaaaaa', projectId, ...assigned });
  take('tsk_2', removeService());
  take('tsk_3', removeProject);
  await clock.advance(60_000);
  expect(order).toEqual(['set-hostnames']);
  gate.resolve(ok);
  await clock.advance(0);
  expect(order).toEqual(['set-hostnames', 'remove-service', 'remove-project']);
});

test('a host task stops the job of the service that is removed', async () => {
  const { take, stopped, clock } = stage(async () => ok);
  take('tsk_1', removeService('svc_bbbbbbbbbbbbbbbb'));
  await clock.advance(0);
  expect(stopped).toEqual(['svc_bbbbbbbbbbbbbbbb']);
});

test('a host task that fails is retried a few times; then it is the hub’s to send it again', async () => {
  let runs = 0;
  const { take, answers, clock } = stage(async () => {
    runs += 1;
    if (runs < 6) throw new Error('docker is away');
    return ok;
  });
  take('tsk_1', removeService());
  await clock.advance(60_000);
  expect(runs).toBe(4);
  expect(answers()).toEqual([]);
  take('tsk_1', removeService());
  await clock.advance(60_000);
  expect(answers()).toEqual([['tsk_1', 'gone']]);
});
