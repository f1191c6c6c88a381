/** One log at a steady rate, written by the runner's own writer and sender, read by many readers in a process of their own. */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type HubFrameOf, protocolVersion, type RunnerFrameOf } from '../../../protocol/frames.ts';
import { systemClock } from '../../../runner/base/clock.ts';
import { LogTraffic } from '../../../runner/connection/log-traffic.ts';
import { JobLogWriter } from '../../../runner/job-log/job-log.ts';
import { secretMask } from '../../../runner/job-log/secret-mask.ts';
import { openJournal } from '../../../runner/journal/journal.ts';
import { noContainerLogs } from '../../support/runner/no-container-logs.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';
import type { BenchControlPlane } from './control-plane.ts';
import type { ReaderOrder, ReaderReport } from './log-readers.ts';
import { chunkRows } from './log-rows.ts';
import { round } from './numbers.ts';
import { cpuMs } from './process-use.ts';
import { connectSimulated, enrolSimulated } from './simulated-runner.ts';

export interface LogRun {
  lines: number;
  readers: number;
  linesPerSecondSeen: number;
  medianMs: number;
  p99Ms: number;
  maxMs: number;
  lost: number;
  doubled: number;
  rowsPer10kLines: number;
  workerCpuMsPer10kLines: number;
  readerCpuMs: number;
  longestMsBySecond: number[];
}

export interface LogOrder {
  readers: number;
  linesPerSecond: number;
  seconds: number;
}

const tickMs = 5;
/** All lines must be with the hub by then. */
const drainLimitMs = 60_000;
const padding = ' compiled src/components/table/row.tsx in 12 ms, 1 warning';

export async function simulatedLog(controlPlane: BenchControlPlane, order: LogOrder): Promise<LogRun> {
  const { linesPerSecond, seconds, readers } = order;
  const lines = linesPerSecond * seconds;
  const job = await startedJob(controlPlane);
  const reader = fork(new URL('./log-readers.ts', import.meta.url), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    const request: ReaderOrder = {
      url: `${controlPlane.url}/api/deployments/${job.deploymentId}/stream`,
      apiKey: controlPlane.apiKey,
      readers,
    };
    reader.send(request);
    await once(reader, 'message'); // all are connected and have their snapshot
    const cpuBefore = cpuMs(controlPlane.workerdPid);
    const from = performance.now();
    await write(job, lines, linesPerSecond);
    const sentMs = performance.now() - from;
    await job.end();
    const [report] = (await once(reader, 'message')) as [ReaderReport];
    const workerCpuMs = cpuMs(controlPlane.workerdPid) - cpuBefore;
    const rows = await chunkRows(controlPlane.persistDirectory, job.deploymentId);
    return {
      lines,
      readers,
      linesPerSecondSeen: round((lines / sentMs) * 1000, 0),
      medianMs: round(report.medianMs),
      p99Ms: round(report.p99Ms),
      maxMs: round(report.maxMs),
      lost: report.lost + readers * (lines - report.lastId),
      doubled: report.doubled,
      rowsPer10kLines: round((rows / lines) * 10_000),
      workerCpuMsPer10kLines: round((workerCpuMs / lines) * 10_000, 0),
      readerCpuMs: report.cpuMs,
      longestMsBySecond: report.longestMsBySecond,
    };
  } finally {
    reader.kill();
    await job.close();
  }
}

/** The lines due so far, every few milliseconds; a late tick catches up, as a build does. */
async function write({ log }: Job, lines: number, linesPerSecond: number): Promise<void> {
  const from = performance.now();
  for (let written = 0; written < lines; ) {
    await pause(tickMs);
    const due = Math.min(lines, Math.floor(((performance.now() - from) / 1000) * linesPerSecond));
    for (; written < due; written++) log.write('stdout', `${Date.now()} ${written + 1}${padding}\n`);
  }
}

type Job = Awaited<ReturnType<typeof startedJob>>;

/** A deployment that a simulated runner has taken, and the runner's log for it. */
export async function startedJob(
  controlPlane: BenchControlPlane,
  beforeQueueing: () => Promise<unknown> = async () => undefined,
  /** How long a read log gathers lines; the way through the control plane is what `logs` measures, so it waits less than a host does. */
  watchedMs = 50,
) {
  const directory = await mkdtemp(join(tmpdir(), 'longshore-bench-runner-'));
  const journal = openJournal(directory, Date.now());
  const started = Promise.withResolvers<HubFrameOf<'start'>>();
  const keys = await enrolSimulated(controlPlane, 'bench');
  const traffic = new LogTraffic({
    url: controlPlane.url,
    containerLogs: noContainerLogs,
    spool: journal.logs,
    clock: systemClock,
    send: (frame) => runner.send(frame),
    epochOf: () => 1,
    watched: () => {},
    watchedDelayMs: watchedMs,
  });
  const runner = await connectSimulated(controlPlane.url, keys, (frame) => {
    if (frame.type === 'start') started.resolve(frame);
    if (frame.type === 'log-ack' || frame.type === 'watch') traffic.take(frame);
  });
  const sender = traffic.jobs;
  const { project } = await controlPlane.call('POST', '/api/projects', { name: 'Logs', description: '' });
  const { service } = await controlPlane.call('POST', `/api/projects/${project.id}/services`, {
    name: 'noisy',
    repoFullName: null,
    repoUrl: 'https://git.example.com/noisy.git',
    branch: 'main',
    runnerId: keys.runnerId,
  });
  await beforeQueueing();
  const { deployment } = await controlPlane.call('POST', `/api/services/${service.id}/deployments`);
  const { job, epoch } = await started.promise;
  const log = new JobLogWriter({
    job,
    spool: journal.logs,
    mask: secretMask([]),
    clock: systemClock,
    logger: silentLogger,
    flushDelayMs: () => sender.flushDelayMs(job),
    spooled: () => sender.pump(job),
  });
  const report = (event: RunnerFrameOf<'report'>['event']) =>
    runner.send({ v: protocolVersion, type: 'report', id: `bench-${randomUUID()}`, job, epoch, event });
  return {
    deploymentId: deployment.id as string,
    log,
    report,
    async end() {
      sender.ends(job);
      log.end();
      await sender.acknowledged(job, drainLimitMs);
      const event = {
        type: 'result',
        result: { outcome: 'failed', facts: {}, code: 'build_failed', message: 'The bench is over.' },
      } as const;
      report(event);
    },
    async close() {
      runner.close();
      traffic.stop();
      journal.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
