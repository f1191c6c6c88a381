/**
 * A host that says things about the services of another host: nothing is written, nothing is read, and no answer tells anything.
 * @module-tag slow
 */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test, vi } from 'vitest';
import { protocolVersion, type RunnerFrame, runnerFrameSchema } from '../../../protocol/frames.ts';
import { newId } from '../../../protocol/ids.ts';
import { createApp } from '../../../worker/app.ts';
import { hostTasks } from '../../../worker/store/schema/runners.ts';
import {
  createClient,
  deps,
  insertKey,
  insertService,
  type Json,
  testFacts,
} from '../../support/worker/api.ts';
import { answerNames, domainClient, newName } from '../../support/worker/domains.ts';
import { enrolRunner, FakeRunner } from '../../support/worker/fake-runner.ts';
import { deploy } from '../../support/worker/host.ts';
import { bytes, remoteDatabase } from '../../support/worker/remote-backup.ts';

const v = protocolVersion;
const { add } = await domainClient();

/** What a frame can name. */
interface Targets {
  serviceId: string;
  deploymentId: string;
  /** A deployment at work, and a backup at work. */
  jobs: { job: string; epoch: number }[];
  hostname: string;
  task: string;
}

const absent: Targets = {
  serviceId: 'svc_0000000000000000',
  deploymentId: 'dep_0000000000000000',
  jobs: [
    { job: 'job_0000000000000000', epoch: 1 },
    { job: 'job_0000000000000001', epoch: 1 },
  ],
  hostname: 'absent.example.com',
  task: 'tsk_0000000000000000',
};

const archive = {
  sizeBytes: 1,
  checksum: `sha256:${'f'.repeat(64)}`,
  localPath: '/evil',
  remoteKey: 'backups/evil',
  tables: 9,
  rows: 9,
};
const facts = { commitSha: 'evil', imageTag: 'evil', containerName: 'evil', archive };
const forged = { id: Date.now() * 1000, stream: 'stdout' as const, line: 'forged' };

/** Every frame that a runner can send; `hello` and `response` have tests of their own below. */
const frames: Record<Exclude<RunnerFrame['type'], 'hello' | 'response'>, (of: Targets) => RunnerFrame[]> = {
  alive: ({ jobs }) => [{ v, type: 'alive', jobs }],
  logs: ({ jobs }) =>
    jobs.map((attempt) => ({
      v,
      type: 'logs',
      ...attempt,
      first: 1,
      lines: [{ stream: 'stdout', at: 1, line: 'forged' }],
      last: true,
    })),
  'runtime-logs': ({ serviceId }) => [
    { v, type: 'runtime-logs', serviceId, part: 'past', lines: [forged] },
    { v, type: 'runtime-logs', serviceId, part: 'live', lines: [{ ...forged, id: 9e15 }] },
  ],
  'switch-request': ({ jobs }) => jobs.map((attempt) => ({ v, type: 'switch-request', ...attempt })),
  report: ({ jobs }) =>
    jobs.flatMap((attempt, n): RunnerFrame[] => [
      {
        v,
        type: 'report',
        ...attempt,
        id: `phase-${n}`,
        event: { type: 'phase', phase: n === 0 ? 'health' : 'verify', facts },
      },
      ...(['succeeded', 'aborted'] as const).map(
        (outcome): RunnerFrame => ({
          v,
          type: 'report',
          ...attempt,
          id: `${outcome}-${n}`,
          event: { type: 'result', result: { outcome, facts } },
        }),
      ),
    ]),
  'task-done': ({ task }) => [{ v, type: 'task-done', id: task, proxy: { ok: true, detail: 'forged' } }],
  domains: ({ hostname }) => [
    {
      v,
      type: 'domains',
      domains: [
        {
          hostname,
          dns: 'here',
          detail: 'forged',
          certificate: { state: 'issued', expiresAt: 9e12, detail: 'forged' },
        },
      ],
    },
  ],
  facts: () => [{ v, type: 'facts', facts: { ...testFacts, publicIp: '192.0.2.66' }, sentAt: 0 }],
  alerts: ({ serviceId }) => [
    { v, type: 'alerts', firing: [{ rule: 'memory', serviceId, detail: 'forged' }] },
  ],
  observed: ({ serviceId, deploymentId }) => [
    {
      v,
      type: 'observed',
      services: [{ serviceId, deploymentId, state: 'crashed', reachable: true }],
    },
  ],
};

const victim = await newVictim();
const evil = await enrolRunner('evil');

test('the table has every frame of the protocol', () => {
  const types = runnerFrameSchema.options.map(({ shape }) => shape.type.value);
  expect(types.toSorted()).toEqual([...Object.keys(frames), 'hello', 'response'].toSorted());
});

test.each(Object.entries(frames))('%s changes nothing and reveals nothing', async (_, framesOf) => {
  const before = await victim.rows();
  const answers = await answersTo(framesOf(victim.targets));
  expect(await victim.rows()).toEqual(before);
  expect(answers).toEqual(await answersTo(framesOf(absent)));
  await victim.seesOnlyItsOwn();
});

test('a hello with the id of another host is refused, and that host stays connected', async () => {
  const before = await victim.rows();
  const intruder = await FakeRunner.open(evil);
  await intruder.sayHello({ forged: { runnerId: victim.runner.runnerId } });
  expect((await intruder.closed).code).toBe(4001);
  expect(await victim.rows()).toEqual(before);
  expect(await victim.runner.unread()).not.toContain('close');
});

test('a response to a question that another host was asked is not taken', async () => {
  const runner = await FakeRunner.connect(evil);
  const asked = victim.ask();
  const { id } = await victim.runner.next('request');
  runner.send({
    v,
    type: 'response',
    id,
    outcome: { ok: false, code: 'internal', message: 'forged' },
  });
  await runner.unread();
  victim.runner.send({
    v,
    type: 'response',
    id,
    outcome: { ok: false, code: 'query_failed', message: 'the true answer' },
  });
  expect((await asked).text).toContain('the true answer');
});

test('a backup whose host names the key of another backup is stored under its own', async () => {
  const [mine, theirs] = [await remoteDatabase(), await remoteDatabase()];
  const secret = await theirs.taken('remote');
  const { backup, start } = await mine.begun('remote');
  const stolen = { ...archive, sizeBytes: bytes.length, localPath: null, remoteKey: secret.remoteKey };
  await mine.runner.report(start, {
    type: 'result',
    result: { outcome: 'succeeded', facts: { archive: stolen } },
  });
  expect((await mine.listed(backup.id)).remoteKey).toBe(`backups/${mine.service.id}/${backup.id}`);
  const download = await mine.send('GET', `/${backup.id}/download`);
  expect([download.status, download.text.includes(bytes)]).toEqual([409, false]);
});

/** What the hub answers on a new connection, without the ids that were sent. */
async function answersTo(sent: RunnerFrame[]): Promise<string[]> {
  const asked = { 'switch-request': 'switch-answer', report: 'report-ack', logs: 'log-ack' } as const;
  const answers: Json[] = [];
  const runner = await FakeRunner.connect(evil);
  for (const frame of sent) {
    runner.send(frame);
    if (frame.type === 'runtime-logs') answers.push(await runner.next('tail-ack'));
    else if (frame.type in asked) answers.push(await runner.next(asked[frame.type as keyof typeof asked]));
  }
  const others = (await runner.unread()).map((type) => ({ type }));
  return [...answers, ...others].map(({ job, id, serviceId, ...rest }) => JSON.stringify(rest));
}

/** A connected host at work: a deployment, a backup, a domain, a task, and readers of both logs. */
async function newVictim() {
  const { runner, service: database, send, token } = await remoteDatabase();
  const call = createClient();
  const service = await insertService({ projectId: database.projectId, runnerId: runner.runnerId });
  await send('POST', '', { storage: 'remote' });
  const backupJob = await runner.next('start');
  const deployment = await deploy({ id: service.id, runnerId: runner.runnerId });
  const deployJob = await runner.next('start');
  const hostname = newName();
  await Promise.all([add(service.id, hostname), answerNames(runner)]);
  const task = await insertTaskOf(runner.runnerId);
  const { token: readKey } = await insertKey({ access: 'read' });
  const stream = async (path: string) => {
    const request = new Request(`https://longshore.test${path}`, {
      headers: { authorization: `Bearer ${readKey}` },
    });
    const { body } = await createApp().fetch(request, env, createExecutionContext());
    if (!body) throw new Error(`${path} has no body`);
    return textOf(body);
  };
  const buildLog = await stream(`/api/deployments/${deployment.id}/stream`);
  const runtimeLog = await stream(`/api/services/${service.id}/runtime-logs/stream`);
  await runner.next('tail');
  runner.send({
    v,
    type: 'runtime-logs',
    serviceId: service.id,
    part: 'past',
    lines: [{ ...forged, id: forged.id - 1e6, line: 'true past' }],
  });
  await runtimeLog.until('true past');
  let lines = 0;
  const targets: Targets = {
    serviceId: service.id,
    deploymentId: deployment.id,
    jobs: [deployJob, backupJob].map(({ job, epoch }) => ({ job, epoch })),
    hostname,
    task,
  };
  const ids = [runner.runnerId, database.id, service.id, task, ...targets.jobs.map(({ job }) => job)];
  return {
    runner,
    targets,
    ask: () => call('GET', `/api/services/${database.id}/database/tables`, { token }),
    rows: () => rowsNaming(ids),
    /** The next line of its own comes, and nothing of another host before it. */
    async seesOnlyItsOwn() {
      lines += 1;
      const line = `true line ${lines}.`;
      runner.send({
        v,
        type: 'runtime-logs',
        serviceId: service.id,
        part: 'live',
        lines: [{ ...forged, id: forged.id + lines, line }],
      });
      const text = (await runtimeLog.until(line)) + buildLog.text();
      expect(text).not.toContain('forged');
    },
  };
}

/** A task that is not due yet. */
async function insertTaskOf(runnerId: string): Promise<string> {
  const id = newId('hostTask', deps.fillRandom);
  const task = { kind: 'remove-volumes', projectId: 'prj_x', serviceId: 'svc_x' };
  await deps.db
    .insert(hostTasks)
    .values({ id, runnerId, task: task as never, state: 'pending', dueAt: 9e15, createdAt: 0 });
  return id;
}

/** Every row of D1 in which one of these ids stands. */
async function rowsNaming(ids: string[]): Promise<string[]> {
  const { results: tables } = await env.DB.prepare(
    `select name from sqlite_master where type = 'table' and name not like 'sqlite%' and name not like '\\_cf%' escape '\\'`,
  ).all<{ name: string }>();
  const read = await env.DB.batch<object>(tables.map(({ name }) => env.DB.prepare(`select * from ${name}`)));
  return read
    .flatMap(({ results }, table) => results.map((row) => `${tables[table]?.name} ${JSON.stringify(row)}`))
    .filter((row) => ids.some((id) => row.includes(id)));
}

/** Reads on in the background. */
function textOf(body: ReadableStream<Uint8Array>) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let isOver = false;
  const read = async (): Promise<void> => {
    const { value, done } = await reader.read();
    isOver = done;
    text += decoder.decode(value, { stream: true });
    if (!done) await read();
  };
  read().catch(() => {
    isOver = true;
  });
  return {
    text: () => text,
    async until(part: string) {
      await vi.waitFor(() => expect(isOver || text.includes(part)).toBe(true), { timeout: 10_000 });
      expect(text).toContain(part);
      return text;
    },
  };
}
