/** A live service with a volume on one host, and a second host to which it can move. Both hosts are fakes. */
import { and, eq } from 'drizzle-orm';
import { beforeEach, expect } from 'vitest';
import { type HubFrameOf, protocolVersion } from '../../../protocol/frames.ts';
import { hostTasks } from '../../../worker/store/schema/runners.ts';
import { createClient, deps, insertKey, type Json } from './api.ts';
import { FakeRunner } from './fake-runner.ts';
import { newHost, type TestHost } from './host.ts';

export type Start = HubFrameOf<'start'>;
type Client = ReturnType<typeof createClient>;

export interface MovingService {
  old: TestHost;
  next: TestHost;
  oldRunner: FakeRunner;
  nextRunner: FakeRunner;
  service: Awaited<ReturnType<TestHost['addService']>>;
  volumeId: string;
  token: string;
  call: Client;
  /** Calls a route below the service. */
  ask(method: string, path: string, body?: Json, client?: Client): ReturnType<Client>;
  /** Starts a move; the old host answers that it can't measure its volumes. */
  move(body?: Json, client?: Client): ReturnType<Client>;
  /** The new host prepares the image; `started` runs before it reports the end. */
  prepared(started?: () => Promise<unknown>): Promise<void>;
}

/** Created again for each test of a file. */
export function useMovingService(): MovingService {
  const call = createClient();
  const scene = {
    call,
    ask: (method, path, body, client = call) =>
      client(method, `/api/services/${scene.service.id}${path}`, { token: scene.token, body }),
    move(body = {}, client = call) {
      const { oldRunner, next } = scene;
      const outcome = { ok: false as const, code: 'failed', message: 'Docker does not answer.' };
      void oldRunner
        .next('request')
        .then(({ id }) => oldRunner.send({ v: protocolVersion, type: 'response', id, outcome }));
      return scene.ask('POST', '/move', { runnerId: next.runnerId, ...body }, client);
    },
    async prepared(started) {
      const preparation = await scene.nextRunner.nextDeployment();
      expect(preparation.spec).toMatchObject({ preparesOnly: true, source: { type: 'git' } });
      await started?.();
      await succeed(scene.nextRunner, preparation, { imageTag: 'prepared', commitSha: 'c0ffee' });
    },
  } as MovingService;
  beforeEach(async () => {
    const { token } = await insertKey();
    const [old, next] = [await newHost(), await newHost()];
    const oldRunner = await FakeRunner.connect(old.keys);
    const nextRunner = await FakeRunner.connect(next.keys);
    const service = await old.addService({ hostPort: 41_000 });
    Object.assign(scene, { token, old, next, oldRunner, nextRunner, service });
    scene.volumeId = (
      await scene.ask('POST', '/volumes', { name: 'data', mountPath: '/data' })
    ).body.volume.id;
    await scene.ask('POST', '/deployments');
    await succeed(oldRunner, await oldRunner.next('start'));
  });
  return scene;
}

export const succeed = (runner: FakeRunner, start: Start, facts: Json = {}) =>
  runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts } });
export const fail = (runner: FakeRunner, start: Start) =>
  runner.report(start, {
    type: 'result',
    result: { outcome: 'failed', facts: {}, code: 'disk_full', message: 'The disk is full.' },
  });
export const endAborted = (runner: FakeRunner, start: Start) =>
  runner.report(start, { type: 'result', result: { outcome: 'aborted', facts: {} } });

/** Answers the next task. */
export async function answered(runner: FakeRunner) {
  const { id, task } = await runner.next('task');
  runner.send({ v: 1, type: 'task-done', id, proxy: { ok: true, detail: '' } });
  return task;
}

export const archiveOf = ({ spec }: Start) => ({
  archive: {
    ...{ sizeBytes: 42, checksum: `sha256:${'a'.repeat(64)}`, localPath: null, tables: 0, rows: 7 },
    remoteKey: (spec as unknown as Json).remoteKey,
  },
});

/** The waiting tasks of a host that remove data after a move. */
export const removals = (runnerId: string) =>
  deps.db
    .select()
    .from(hostTasks)
    .where(and(eq(hostTasks.runnerId, runnerId), eq(hostTasks.state, 'pending')));
