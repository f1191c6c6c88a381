import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { hostTasks } from '../../../worker/store/schema/runners.ts';
import { pruneRecords } from '../../../worker/usecases/instance/prune-records.ts';
import { sweepJobs } from '../../../worker/usecases/jobs/sweep-jobs.ts';
import { deps } from '../../support/worker/api.ts';
import { FakeRunner, setHubClock } from '../../support/worker/fake-runner.ts';
import { newHost, runnerRow, type TestHost } from '../../support/worker/host.ts';

const proxy = { ok: true, detail: 'the route answers 404' };

async function addTask({ runnerId, project }: TestHost, dueAt = 0) {
  const id = deps.newId('hostTask');
  const task = { kind: 'remove-project' as const, projectId: project.id };
  await deps.db.insert(hostTasks).values({ id, runnerId, task, state: 'pending', dueAt, createdAt: 0 });
  return id;
}

async function taskRow(id: string) {
  const [row] = await deps.db.select().from(hostTasks).where(eq(hostTasks.id, id));
  return row;
}

test('a task is sent, waited for, and answered with what the host saw', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const id = await addTask(host);
  const done = deps.hubs.runTask(host.runnerId, id, 60_000);
  expect(await runner.next('task')).toMatchObject({
    id,
    task: { kind: 'remove-project', projectId: host.project.id },
  });
  runner.send({ v: 1, type: 'task-done', id, proxy });
  expect(await done).toEqual(proxy);
  expect(await taskRow(id)).toMatchObject({
    state: 'done',
    detail: proxy.detail,
    finishedAt: expect.any(Number),
  });
  expect(await deps.hubs.runTask(host.runnerId, id, 60_000)).toEqual(proxy);
  expect(await runner.unread()).toEqual([]);
});

test('two requests for one task wait for the same end', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const id = await addTask(host);
  const both = [deps.hubs.runTask(host.runnerId, id, 60_000), deps.hubs.runTask(host.runnerId, id, 60_000)];
  await runner.next('task');
  await runner.next('task');
  runner.send({ v: 1, type: 'task-done', id, proxy });
  expect(await Promise.all(both)).toEqual([proxy, proxy]);
});

test('a task for a host that is away is refused at once and done at its return', async () => {
  const host = await newHost();
  const id = await addTask(host);
  expect(await deps.hubs.runTask(host.runnerId, id, 60_000)).toMatchObject({ ok: false });
  const runner = await FakeRunner.connect(host.keys);
  expect((await runner.next('task')).id).toBe(id);
  runner.send({ v: 1, type: 'task-done', id, proxy });
  await expect.poll(() => taskRow(id)).toMatchObject({ state: 'done' });
});

test('a task whose host does not answer in time stays, and its late end is taken', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const id = await addTask(host);
  expect(await deps.hubs.runTask(host.runnerId, id, 5)).toMatchObject({ ok: false });
  expect(await taskRow(id)).toMatchObject({ state: 'pending' });
  runner.send({ v: 1, type: 'task-done', id, proxy });
  await expect.poll(() => taskRow(id)).toMatchObject({ state: 'done' });
});

test('a waiting request is answered when the host disconnects', { tags: 'slow' }, async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const id = await addTask(host);
  const done = deps.hubs.runTask(host.runnerId, id, 60_000);
  await runner.next('task');
  await runner.disconnect();
  expect(await done).toMatchObject({ ok: false });
});

test('a task is not sent before its moment, and again only when a minute brought no answer', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const due = await addTask(host);
  await addTask(host, Date.now() + 24 * 60 * 60_000);
  expect(await runner.unread()).toEqual(['task']);
  expect((await runner.next('task')).id).toBe(due);
  expect(await runner.unread()).toEqual([]);
  await setHubClock(host.runnerId, Date.now() + 61_000, { pinged: true });
  expect(await runner.unread()).toEqual(['task']);
});

test('a task that comes due is found by the sweep', async () => {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const id = await addTask(host);
  await sweepJobs(deps);
  expect((await runner.next('task')).id).toBe(id);
});

test("another host can't end a task", async () => {
  const host = await newHost();
  const id = await addTask(host);
  const stranger = await FakeRunner.connect((await newHost()).keys);
  stranger.send({ v: 1, type: 'task-done', id, proxy });
  await stranger.disconnect();
  // Written after what the frame would have changed, by the same queue.
  await expect.poll(() => runnerRow(stranger.runnerId)).toMatchObject({ connectedAt: null });
  expect(await taskRow(id)).toMatchObject({ state: 'pending' });
});

test('finished tasks are forgotten after a week, and waiting ones are not', async () => {
  const host = await newHost();
  const day = 86_400_000;
  const [old, young, waiting] = [
    await addTask(host, 0),
    await addTask(host, 2 * day),
    await addTask(host, 0),
  ];
  for (const id of [old, young])
    await deps.db.update(hostTasks).set({ state: 'done' }).where(eq(hostTasks.id, id));
  await pruneRecords({ ...deps, now: () => 8 * day });
  expect(
    await Promise.all([old, young, waiting].map(async (id) => (await taskRow(id)) !== undefined)),
  ).toEqual([false, true, true]);
});
