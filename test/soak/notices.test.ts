/**
 * Notices of deployments, hosts, alerts (one of them a crash loop), quotas, backups whose bucket refuses them and scheduled commands that exit
 * with 1, while their receivers refuse, fail, hang or lose the connection, and workerd is killed before it reads an answer and right after. Each cause is told, in its order; what was answered with 2xx is told
 * again only if workerd was killed before it had written that down, and then with the same id.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';
import { until } from '../support/runner/until.ts';
import {
  type Arrival,
  type Behaviour,
  type FaultyReceiver,
  startFaultyReceiver,
} from '../support/servers/faulty-receiver.ts';
import { type S3Server, startS3Server } from '../support/servers/s3-server.ts';
import { type ChaosControlPlane, startChaosControlPlane } from '../support/simulation/chaos-control-plane.ts';
import { type SimulatedRunner, simulatedRunner } from '../support/simulation/simulated-runner.ts';

interface EventRow {
  id: string;
  type: string;
  cause: string;
  delivered: number;
}

const seed = process.env.SEED ?? '1';
const minuteMs = 60_000;
const killing: readonly Behaviour[] = ['killed-before', 'killed-after'];
/** What the first requests of each round meet; the others are taken. `away`: no connection at all. */
const rounds: (Behaviour[] | 'away')[] = [
  ['taken'],
  'away',
  ['killed-after'],
  ['error', 'broken', 'taken', 'error'],
  ['killed-before'],
  ['taken', 'killed-after'],
  ['silent', 'broken'],
  ['broken', 'broken', 'killed-before'],
  ['taken', 'taken', 'taken', 'killed-after'],
  'away',
  ['killed-after', 'killed-after'],
  ['broken', 'taken', 'broken', 'taken', 'killed-before'],
];

let plane: ChaosControlPlane;
let runner: SimulatedRunner;
/** A host without services, which is away in every second round. */
let neighbour: SimulatedRunner;
let receiver: FaultyReceiver;
let bucket: S3Server;
let services: { web: string; api: string; jobs: string; db: string };
let dying: Promise<void> | undefined;
let hours = 0;

async function start(): Promise<void> {
  const directory = temporaryDirectory();
  plane = await startChaosControlPlane(directory);
  onTestFinished(() => plane.stop());
  receiver = await startFaultyReceiver(() => {
    dying ??= plane.kill();
  });
  onTestFinished(() => receiver.close());
  bucket = await startS3Server();
  onTestFinished(() => bucket.stop());
  runner = await simulatedRunner(plane, directory, 'host');
  onTestFinished(() => runner.close());
  neighbour = await simulatedRunner(plane, directory, 'neighbour');
  onTestFinished(() => neighbour.close());
}

async function ask(method: string, path: string, body?: unknown) {
  const reply = await plane.call(method, path, body);
  if (reply.status >= 300)
    throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** Two hours later, in a minute in which cron looks at everything that raises a notice. */
const atNextHour = () => {
  const skewed = Date.now() + hours * 60 * minuteMs;
  const minutes = Math.floor(skewed / minuteMs);
  return plane.pull({ skewMs: hours * 60 * minuteMs + ((1 - (minutes % 5) + 5) % 5) * minuteMs });
};

/** Cron of two hours later, which also starts the scheduled backup and command that are due, with what the receiver does to it. @returns whether workerd was killed */
async function deliver(): Promise<boolean> {
  hours += 2;
  await atNextHour();
  const connects = runner.connects();
  await plane.sweep().catch((error: unknown) => {
    if (!dying) throw error;
  });
  const wasKilled = dying !== undefined;
  await dying;
  dying = undefined;
  await plane.pull({ skewMs: 0 });
  if (wasKilled) await until('the runner is connected again', () => runner.connects() > connects);
  return wasKilled;
}

const eventRows = () =>
  plane.rows<EventRow>(`select id, type, delivered_at is not null as delivered, substr(type, 1, instr(type, '.'))
    || iif(type like 'alert.%' or service_id = '', resource_id, service_id) as cause from events order by rowid`);

test(`each notice arrives once over an outage of its receiver and kills of the control plane (SEED=${seed})`, async () => {
  await start();
  await ask('PATCH', '/api/system/settings', {
    allowPrivateEventWebhook: true,
    eventWebhook: { url: `${receiver.url}/webhook` },
  });
  const { channel } = await ask('POST', '/api/notification-channels', {
    ...{ name: 'ops', slack: { url: `${receiver.url}/slack` }, events: ['*'] },
  });
  runner.start({ SEED: seed, TIMER_SPEED: '10', PHASE_MS: '5' });
  await until('the runner is connected', () => runner.connects() > 0);
  await createServices();

  const killedRounds = new Set<number>();
  for (const [round, planned] of rounds.entries()) {
    receiver.round = round;
    await cause(round);
    if (planned === 'away') await receiver.refuse();
    else receiver.plan(...planned);
    if (await deliver()) killedRounds.add(round);
    receiver.plan();
    if (planned === 'away') await receiver.listen();
    const kills = planned !== 'away' && planned.some((one) => killing.includes(one));
    if (kills) expect(killedRounds, `round ${round} was to kill`).toContain(round);
  }

  runner.host.alert([]);
  await neighbourIs('connected');
  await repaired();
  await ask('PATCH', '/api/system/tenants/default', { quotas: {} });
  receiver.round = rounds.length;
  await until(
    'nothing waits',
    async () => {
      await deliver();
      const [waiting] = await plane.rows<{ count: number }>(
        `select (select count(*) from events where next_attempt_at is not null)
          + (select count(*) from notifications where next_attempt_at is not null)
          + (select count(*) from alerts where resolved_at is null) + (select count(*) from jobs where state in ('queued', 'active')) as count`,
      );
      return waiting?.count === 0;
    },
    120_000,
  );

  const events = await eventRows();
  await expectEachCauseTold(events);
  const [webhook, slack] = ['/webhook', '/slack'].map((path) =>
    receiver.arrivals.filter((one) => one.path === path),
  ) as [Arrival[], Arrival[]];
  expectEachOnce(events, webhook, killedRounds);
  expectOrder(events, webhook);
  const [sent] = await plane.rows<{ count: number }>(
    `select count(*) as count from notifications where channel_id = '${channel.id}' and delivered_at is not null`,
  );
  expect(sent?.count).toBe(events.length);
  const clean = slack.filter(
    ({ behaviour, round }) => behaviour === 'taken' && !killedRounds.has(round),
  ).length;
  const known = slack.filter(({ behaviour }) => behaviour === 'taken' || behaviour === 'killed-after').length;
  expect(clean).toBeLessThanOrEqual(events.length);
  expect(known).toBeGreaterThanOrEqual(events.length);
  const types = Object.groupBy(events, ({ type }) => type);
  process.stdout.write(
    `${JSON.stringify({
      seed,
      events: Object.fromEntries(Object.entries(types).map(([type, all]) => [type, all?.length])),
      kills: killedRounds.size,
      ...{ webhook: webhook.length, slack: slack.length },
      repeated: webhook.filter(({ behaviour }) => behaviour !== 'error').length - events.length,
    })}\n`,
  );
  expect(Object.keys(types)).toEqual(
    expect.arrayContaining([
      ...['backup.failed', 'backup.recovered', 'run.failed', 'run.recovered'],
      ...['deployment.failed', 'deployment.recovered', 'alert.raised', 'alert.resolved'],
      ...['host.away', 'host.returned'],
    ]),
  );
});

/** Something to tell of each kind, which is over a round later. */
async function cause(round: number): Promise<void> {
  const { web, api, jobs } = services;
  const isOdd = round % 2 === 1;
  runner.host.alert(
    isOdd
      ? [{ rule: 'memory', serviceId: web, detail: 'It has used 95 %.' }]
      : [{ rule: 'restarts', serviceId: api, detail: 'It ended four times.' }],
  );
  for (let count = 0; count < 4; count++) {
    const asked = [web, api, jobs].map((id) => ask('POST', `/api/services/${id}/deployments`));
    const ids = (await Promise.all(asked)).map(({ deployment }) => deployment.id as string);
    await ended(ids);
  }
  await neighbourIs(isOdd ? 'connected' : 'away');
  await ask('PATCH', '/api/system/tenants/default', { quotas: isOdd ? { projects: 1 } : {} });
  if (isOdd) expect((await plane.call('POST', '/api/projects', { name: 'More' })).status).toBe(409);
  await jobsEnd();
  await trouble(round % 4 < 2);
  await ask('POST', `/api/services/${services.db}/database/backups`, { storage: 'remote' });
  await jobsEnd();
  const open = isOdd ? 'memory' : 'restarts';
  await until('the alert is open', async () => {
    const rows = await plane.rows(`select id from alerts where rule = '${open}' and resolved_at is null`);
    return rows.length > 0;
  });
}

const brokenCommand = () => join(runner.dataDirectory, 'broken');

/** Whether the bucket refuses backups and the scheduled command exits with 1. */
async function trouble(holds: boolean): Promise<void> {
  bucket.refuseUploads(holds);
  if (holds) await writeFile(brokenCommand(), '');
  else await rm(brokenCommand(), { force: true });
}

/** The next scheduled backup and command have succeeded, and none begins any more. */
async function repaired(): Promise<void> {
  await jobsEnd();
  await trouble(false);
  await until(
    'both have succeeded',
    async () => {
      await deliver();
      await jobsEnd();
      const [last] = await plane.rows(`select 1 where
        (select status from backups where trigger = 'daily' order by created_at desc limit 1) = 'succeeded'
        and (select runs.status from occurrences join runs on runs.id = run_id order by due_at desc limit 1) = 'succeeded'`);
      return last !== undefined;
    },
    120_000,
  );
  await ask('PATCH', `/api/services/${services.db}/database/backups/settings`, { automaticEnabled: false });
  const { schedules } = await ask('GET', `/api/services/${services.web}/schedules`);
  await ask('PATCH', `/api/services/${services.web}/schedules/${schedules[0].id}`, { enabled: false });
}

/** Three services, one of which has a command by the clock, and a database with a backup each night. */
async function createServices(): Promise<void> {
  const { project } = await ask('POST', '/api/projects', { name: 'Shop' });
  const create = async (name: string, fields: object): Promise<string> => {
    const body = { name, env: [], runnerId: runner.runnerId, ...fields };
    return (await ask('POST', `/api/projects/${project.id}/services`, body)).service.id;
  };
  const app = {
    ...{ repoUrl: 'container-image', imageRef: 'app:1', branch: 'main' },
    ...{ runtimeMode: 'web', internalPort: 8080 },
  };
  services = {
    web: await create('web', app),
    api: await create('api', app),
    jobs: await create('jobs', app),
    db: await create('db', { repoUrl: 'database', repoFullName: 'database:postgres' }),
  };
  await ask('POST', `/api/services/${services.web}/schedules`, {
    ...{ name: 'nightly', cron: '0 */2 * * *', command: 'test ! -e broken' },
  });
  const { endpoint, bucket: name, accessKeyId, secretAccessKey } = bucket.address;
  await ask('PATCH', '/api/system/settings', {
    allowPrivateBackupBucket: true,
    backupBucket: { ...{ endpoint, region: 'us-east-1', accessKeyId, secretAccessKey }, bucket: name },
  });
  await until('the database runs', async () => {
    const { deployment } = await ask('POST', `/api/services/${services.db}/deployments`);
    await ended([deployment.id]);
    return (
      (await plane.rows(`select id from deployments where id = '${deployment.id}' and status = 'running'`))
        .length > 0
    );
  });
  await ask('PATCH', `/api/services/${services.db}/database/backups/settings`, {
    ...{ automaticEnabled: true, dailyEnabled: true, storage: 'remote' },
  });
}

/** As its row says. */
async function neighbourIs(wanted: 'connected' | 'away'): Promise<void> {
  const isWanted = async () => {
    const [row] = await plane.rows<{ isConnected: number }>(
      `select connected_at is not null as isConnected from runners where id = '${neighbour.runnerId}'`,
    );
    return (row?.isConnected === 1) === (wanted === 'connected');
  };
  if (wanted === 'away') await neighbour.kill();
  else if (!neighbour.isRunning()) neighbour.start({ SEED: seed, TIMER_SPEED: '10' });
  await until(`the neighbour is ${wanted}`, isWanted);
}

const ended = (deploymentIds: readonly string[]) =>
  noneIsOpen(`select id from deployments where id in ('${deploymentIds.join("','")}')
    and status not in ('running', 'superseded', 'failed', 'aborted')`);

const jobsEnd = () => noneIsOpen("select id from jobs where state in ('queued', 'active')");

/** Cron of each minute wakes a hub that missed something, as one whose control plane was killed may have. */
async function noneIsOpen(query: string): Promise<void> {
  let lookedAt = performance.now();
  await until('the jobs have ended', async () => {
    if ((await plane.rows(query)).length === 0) return true;
    if (performance.now() - lookedAt < 3_000) return false;
    lookedAt = performance.now();
    await plane.sweep();
    return false;
  });
}

/** What the tables know of is an event. */
async function expectEachCauseTold(events: readonly EventRow[]): Promise<void> {
  const untold = await plane.rows(`select id from deployments where status = 'failed'
      and not exists (select 1 from events where resource_id = deployments.id and type = 'deployment.failed')
    union all select id from alerts where is_told and not exists (select 1 from events
      where type = iif(rule = 'hostAway', 'host.away', 'alert.raised') and resource_id = iif(rule = 'hostAway', subject_id, alerts.id))
    union all select id from alerts where rule = 'hostAway' and resolved_at is null
    union all select id from alerts where is_told and resolved_at is not null and not exists (select 1 from events
      where type = iif(rule = 'hostAway', 'host.returned', 'alert.resolved') and resource_id = iif(rule = 'hostAway', subject_id, alerts.id))`);
  const untoldWork = await plane.rows(`select id from backups where status = 'failed'
      and not exists (select 1 from events where resource_id = backups.id and type = 'backup.failed')
    union all select id from runs where status = 'failed'
      and not exists (select 1 from events where resource_id = runs.id and type = 'run.failed')`);
  expect([...untold, ...untoldWork]).toEqual([]);
  expect(events.filter(({ delivered }) => !delivered)).toEqual([]);
}

/** A delivery that was answered with 2xx is the last one of its id, unless workerd was killed in that round. */
function expectEachOnce(
  events: readonly EventRow[],
  arrivals: readonly Arrival[],
  killed: ReadonlySet<number>,
) {
  for (const { id, type } of events) {
    const own = arrivals.filter((one) => one.id === id);
    const said = `${type} ${id}: ${JSON.stringify(own.map(({ round, behaviour }) => [round, behaviour]))}`;
    expect(['taken', 'killed-after'], said).toContain(own.at(-1)?.behaviour);
    const early = own
      .slice(0, -1)
      .filter(({ behaviour, round }) => behaviour === 'taken' && !killed.has(round));
    expect(early, said).toEqual([]);
    expect(new Set(own.map(({ body }) => body)).size, said).toBe(1);
  }
  expect(new Set(arrivals.map(({ id }) => id)).size).toBe(events.length);
}

/** Of each cause, the receiver sees what happened in its order. */
function expectOrder(events: readonly EventRow[], arrivals: readonly Arrival[]) {
  const firstSeen = new Map<string, number>();
  for (const [at, { id, behaviour }] of arrivals.entries())
    if (behaviour !== 'error' && !firstSeen.has(id)) firstSeen.set(id, at);
  for (const [of, all = []] of Object.entries(Object.groupBy(events, ({ cause: name }) => name))) {
    const seen = all.map(({ id }) => firstSeen.get(id) ?? -1);
    expect(seen, of).toEqual(seen.toSorted((one, other) => one - other));
  }
}
