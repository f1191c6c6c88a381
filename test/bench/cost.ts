/**
 * What Cloudflare would bill: for one deployment (nobody reads its log; somebody does) until its log is removed after two weeks, an hour of an idle host, and an hour of a followed
 * runtime log; then the dollars of three sizes, and the part of the free plan's day that the smallest one takes. The Worker is the real one
 * in workerd, counting (cost-worker.ts); hosts are simulated, with the runner's own log writer, senders and socket. A backup is one that stays on its host's disk: what R2 bills for copies is not in it.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../../runner/base/clock.ts';
import { LogTraffic } from '../../runner/connection/log-traffic.ts';
import { openJournal } from '../../runner/journal/journal.ts';
import type { MeterReading } from '../support/worker/meter-reading.ts';
import { billedOf, dollars, freeShares, plus, times } from './support/bill.ts';
import type { Billed } from './support/cloudflare-prices.ts';
import { type BenchControlPlane, startBenchControlPlane } from './support/control-plane.ts';
import { startedJob } from './support/log-run.ts';
import { meteredBackup } from './support/metered-backup.ts';
import { round } from './support/numbers.ts';
import { type BenchReport, type Figure, say } from './support/report.ts';
import { connectSimulated, enrolSimulated } from './support/simulated-runner.ts';

/** 5,000 lines in 60 s, as a usual build prints. */
const linesPerSecond = 83;
const tickMs = 50;
/** What a host does while somebody reads. */
const hostGathersMs = 250;
/** Watched for this long, and taken for an hour. */
const hourSampleMs = 15_000;
const hourMs = 3_600_000;
const daysPerMonth = 30;
/** The default of the setting. */
const logDays = 14;
const goals = { objectSecondsPerMinute: 3, dollarsOfMiddle: 7 };
const sizes = {
  small: { hosts: 1, deploymentsPerDay: 20, watched: 1, followedHoursPerDay: 1, backupsPerDay: 1 },
  middle: {
    hosts: 100,
    deploymentsPerDay: 10_000,
    watched: 0.3,
    followedHoursPerDay: 0,
    backupsPerDay: 1_000,
  },
  large: {
    hosts: 10_000,
    deploymentsPerDay: 1_000_000,
    watched: 0.3,
    followedHoursPerDay: 0,
    backupsPerDay: 100_000,
  },
};

type Meter = () => Promise<MeterReading>;

/** @param seconds output of each deployment */
export async function benchCost(seconds: number): Promise<BenchReport> {
  const controlPlane = await startBenchControlPlane({ entry: 'test/support/worker/workers/cost-worker.ts' });
  const meter: Meter = async () => (await fetch(`${controlPlane.url}/meter`)).json() as Promise<MeterReading>;
  try {
    say(`a deployment with ${seconds} s of output that nobody reads`);
    const unwatched = await deployment(controlPlane, meter, seconds, false);
    say('the alarms of its log, until it is removed');
    const path = `/remove-log?deployment=${unwatched.deploymentId}&days=${logDays}`;
    const removed = (await (await fetch(controlPlane.url + path)).json()) as MeterReading;
    say('the same with a reader');
    const watched = await deployment(controlPlane, meter, seconds, true);
    say('an idle host and a followed runtime log');
    const idle = await idleHour(controlPlane, meter);
    const followed = await followedLog(controlPlane, meter);
    say(`a backup that takes ${seconds} s`);
    await meteredBackup(controlPlane, seconds, meter);
    await settled();
    const backup = await meter();
    const readings = { unwatched: unwatched.reading, watched: watched.reading };
    return reportOf(seconds, { ...readings, removed, idle, followed, backup });
  } finally {
    await controlPlane.stop();
  }
}

async function deployment(controlPlane: BenchControlPlane, meter: Meter, seconds: number, isRead: boolean) {
  const left = new AbortController();
  const job = await startedJob(controlPlane, meter, hostGathersMs);
  try {
    if (isRead) await readStream(controlPlane, `/api/deployments/${job.deploymentId}/stream`, left.signal);
    job.report({ type: 'phase', phase: 'clone', facts: {} });
    job.report({ type: 'phase', phase: 'build', facts: {} });
    await print(seconds, () => job.log.write('stdout', buildLine()));
    await job.end();
    await settled();
    return { deploymentId: job.deploymentId, reading: await meter() };
  } finally {
    left.abort();
    await job.close();
  }
}

/** Cron of each minute of an hour: some of its work runs once in it, some every fifth minute. */
async function idleHour(controlPlane: BenchControlPlane, meter: Meter): Promise<MeterReading> {
  const keys = await enrolSimulated(controlPlane, 'idle');
  const runner = await connectSimulated(controlPlane.url, keys);
  await controlPlane.runScheduled(Date.now()); // makes the dump of the day, which is no hour's
  await settled();
  await meter();
  await pause(hourSampleMs);
  const hour = Math.floor(Date.now() / hourMs) * hourMs;
  for (let minute = 0; minute < 60; minute++) {
    await controlPlane.runScheduled(hour + minute * 60_000);
  }
  await settled();
  const reading = await meter();
  runner.close();
  return reading;
}

/** A container that prints without end, followed by one reader. */
async function followedLog(controlPlane: BenchControlPlane, meter: Meter): Promise<MeterReading> {
  const keys = await enrolSimulated(controlPlane, 'followed');
  const directory = await mkdtemp(join(tmpdir(), 'longshore-bench-runner-'));
  const journal = openJournal(directory, Date.now());
  const logs = new LogTraffic({
    url: controlPlane.url,
    spool: journal.logs,
    epochOf: () => undefined,
    watched: () => {},
    containerLogs: {
      loggedContainers: async () => [
        { id: 'container', deploymentId: 'deployment', secrets: [], isLive: true },
      ],
      async *readLog(_id, { follow }, signal) {
        while (follow && !signal.aborted) {
          await pause(tickMs);
          yield [{ at: Date.now() * 1000, stream: 'stdout', text: 'GET / 200 in 3 ms', cut: false }];
        }
      },
    },
    clock: systemClock,
    send: (frame) => runner.send(frame),
  });
  const runner = await connectSimulated(controlPlane.url, keys, (frame) => {
    if (frame.type === 'tail' || frame.type === 'tail-ack') logs.take(frame);
  });
  const left = new AbortController();
  try {
    const { project } = await controlPlane.call('POST', '/api/projects', { name: 'Run', description: '' });
    const { service } = await controlPlane.call('POST', `/api/projects/${project.id}/services`, {
      name: 'chatty',
      repoFullName: null,
      repoUrl: 'https://git.example.com/chatty.git',
      branch: 'main',
      runnerId: keys.runnerId,
    });
    await readStream(controlPlane, `/api/services/${service.id}/runtime-logs/stream`, left.signal);
    await settled();
    await meter();
    await pause(hourSampleMs);
    return await meter();
  } finally {
    left.abort();
    logs.containers.stop();
    logs.stop();
    runner.close();
    journal.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Resolves when the stream has begun; it is read until it ends or `left`. */
async function readStream({ url, apiKey }: BenchControlPlane, path: string, left: AbortSignal) {
  const reply = await fetch(url + path, { headers: { authorization: `Bearer ${apiKey}` }, signal: left });
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
  void reply.text().catch(() => undefined);
}

async function print(seconds: number, line: () => void): Promise<void> {
  const startedAt = performance.now();
  for (let printed = 0; printed < seconds * linesPerSecond; ) {
    await pause(tickMs);
    const due = Math.min(seconds, (performance.now() - startedAt) / 1000) * linesPerSecond;
    for (; printed < due; printed++) line();
  }
}

/** As bundlers print: names that repeat, and hashes and sizes that no compression can guess. */
function buildLine(): string {
  const kb = () => (Math.random() * 90).toFixed(2).padStart(6);
  return `dist/assets/components-table-row-${randomUUID().slice(0, 8)}.js   ${kb()} kB │ gzip: ${kb()} kB\n`;
}

/** What follows the last answer is counted too. */
const settled = () => pause(1_000);

type Readings = Record<'unwatched' | 'watched' | 'removed' | 'idle' | 'followed' | 'backup', MeterReading>;

function reportOf(seconds: number, readings: Readings): BenchReport {
  const unwatched = billedOf(readings.unwatched);
  const watched = billedOf(readings.watched);
  // What the log takes until then is in the others.
  const removed = { ...billedOf(readings.removed), objectGbStored: 0 };
  const backup = billedOf(readings.backup);
  const idle = billedOf(readings.idle);
  const followedHour = times(billedOf(readings.followed), hourMs / hourSampleMs);
  const perDay = (size: (typeof sizes)[keyof typeof sizes]): Billed =>
    plus(
      times(unwatched, size.deploymentsPerDay * (1 - size.watched)),
      times(watched, size.deploymentsPerDay * size.watched),
      times(removed, size.deploymentsPerDay),
      times(idle, 24),
      times(followedHour, size.followedHoursPerDay),
      times(backup, size.backupsPerDay),
    );
  const billsOf = (storedShare: number) =>
    Object.fromEntries(
      Object.entries(sizes).map(([name, size]) => [
        name,
        dollars(times(perDay(size), daysPerMonth), storedShare),
      ]),
    );
  // What is stored grows until the first logs are removed; then as much goes as comes.
  const days = logDays / daysPerMonth;
  const [first, later] = [billsOf(days - days ** 2 / 2), billsOf(days)];
  const active = ({ objects }: MeterReading) =>
    Object.values(objects).reduce((sum, { activeMs }) => sum + activeMs, 0) / 1000;
  const figure = (name: string, seen: number, goal: number, comparedTo: string): Figure => ({
    name,
    goal: `<= ${goal}`,
    seen: round(seen, 2),
    met: seen <= goal,
    comparedTo,
  });
  const objectSeconds = (goals.objectSecondsPerMinute * seconds) / 60;
  const ofOutput = `${seconds} s of output; handlers and waitUntil of all objects, no timers`;
  return {
    figures: [
      figure('object time of an unread deployment, s', active(readings.unwatched), objectSeconds, ofOutput),
      figure('object time of a read deployment, s', active(readings.watched), objectSeconds, ofOutput),
      ...Object.entries({ first, later }).map(([month, bills]) =>
        figure(
          `dollars of the ${month} month, 10,000 deployments a day`,
          bills.middle?.all ?? Number.NaN,
          goals.dollarsOfMiddle,
          `30 % read; ${seconds * linesPerSecond} lines each`,
        ),
      ),
    ],
    details: {
      counted: readings,
      billed: { unwatched, watched, removed, idleHour: idle, followedHour, backup },
      dollarsOfTheFirstMonth: first,
      dollarsOfALaterMonth: later,
      shareOfTheFreeDay: freeShares(perDay(sizes.small)),
      freeDayIsSpentAfterHoursOfFollowedLog: 1 / Math.max(...Object.values(freeShares(followedHour))),
    },
  };
}
