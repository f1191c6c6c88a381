/** A complete daemon with a real journal and a real socket to a test hub; the test provides the host and controls the time. */
import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { RunnerFrameOf } from '../../../protocol/frames.ts';
import type { HostRequest } from '../../../protocol/host-request.ts';
import type { JobResult } from '../../../protocol/job-report.ts';
import type { DeploySecrets, DeploySpec } from '../../../protocol/job-spec.ts';
import type { OwnRule } from '../../../protocol/metrics/own-rules.ts';
import type { RunnerError } from '../../../runner/base/runner-error.ts';
import type { Daemon } from '../../../runner/daemon.ts';
import type { HostWork, HostWorkParts } from '../../../runner/host/host-work.ts';
import type { JobContext } from '../../../runner/jobs/job.ts';
import { startOncePossible } from '../../../runner/start-once-possible.ts';
import { type Enrolled, enrolled } from './enrolled.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';
import { noContainerLogs } from './no-container-logs.ts';
import { noDataJobs } from './no-data-jobs.ts';
import { noDomains } from './no-domains.ts';
import { silentLogger } from './silent-logger.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { startTestHub, type TestHub } from './test-hub.ts';
import { until } from './until.ts';

export const succeeded: JobResult = { outcome: 'succeeded', facts: {} };

/** A run of a job that the test controls. */
export interface Run {
  spec: DeploySpec;
  secrets: DeploySecrets;
  context: JobContext;
  finish(result?: JobResult): void;
  fail(error: unknown): void;
}

export interface Stage extends Enrolled {
  hub: TestHub;
  clock: ManualClock;
  dataDirectory: string;
  daemon: Pick<Daemon, 'stop'>;
  runs: Run[];
  recoveries: { checkpoint: Record<string, unknown>; context: JobContext }[];
  errors: RunnerError[];
  /** The alert rules that the host received, in order. */
  alertRules: OwnRule[][];
  /** The behaviour of the host's parts; may be changed during the test. */
  host: Pick<HostWork, 'observe' | 'containerLogs' | 'runTask' | 'reconcile' | 'dockerFacts'> & {
    answer: (ask: HostRequest, openRequest: HostWorkParts['openRequest']) => Promise<unknown>;
    recover: (checkpoint: Record<string, unknown>, context: JobContext) => Promise<JobResult>;
    /** Whether jobs end when their signal is aborted. */
    heedsSignal: boolean;
  };
  /** The n-th started run. */
  run(number: number): Promise<Run>;
  /** The result of a job that the hub received. */
  result(job: string): Promise<JobResult>;
  /** Acknowledges logs and reports, as a healthy hub does. */
  acknowledgeAll(): void;
  /** Lets time pass while the connection works: pings are answered. */
  pass(ms: number): Promise<void>;
}

export interface StageOptions {
  dataDirectory?: string;
  hub?: TestHub;
  settings?: object;
  host?: Partial<Stage['host']>;
  clock?: ManualClock;
  /** The error of the host's parts at each attempt to start them; they start once it returns nothing. */
  prevented?: () => unknown;
}

/** Starts it and waits until it is connected. */
export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const { dataDirectory = temporaryDirectory(), hub = await startTestHub() } = options;
  const { clock = manualClock(), prevented = () => undefined } = options;
  const { welcomes } = hub;
  const errors: RunnerError[] = [];
  const alertRules: OwnRule[][] = [];
  const runs: Run[] = [];
  const recoveries: Stage['recoveries'] = [];
  const host: Stage['host'] = {
    recover: async () => succeeded,
    runTask: async () => ({ ok: true, detail: 'done' }),
    observe: async () => [],
    answer: async () => ({ ok: true, detail: 'answered' }),
    containerLogs: noContainerLogs,
    reconcile: async () => {},
    dockerFacts: async () => ({
      version: '27.3.1',
      runcVersion: '1.3.3',
      initProcess: true,
      userNamespaces: true,
      storageLimits: false,
      appArmor: null,
    }),
    heedsSignal: true,
    ...options.host,
  };
  const jobs: HostWork['jobs'] = {
    ...noDataJobs,
    deploy: {
      run: (spec, secrets, context) => inHands(runs, host, { spec, secrets, context }),
      recover(_, checkpoint, context) {
        recoveries.push({ checkpoint, context });
        return host.recover(checkpoint, context);
      },
    },
  };
  const tools = enrolled(dataDirectory, hub, options.settings);
  const hostWork = (openRequest: HostWorkParts['openRequest']): HostWork => ({
    jobs,
    chores: {},
    runTask: (task) => host.runTask(task),
    observe: () => host.observe(),
    watch: async () => {},
    onAlerts: () => {},
    setAlertRules: (rules) => void alertRules.push(rules),
    setDrains: async () => {},
    answer: (ask) => host.answer(ask, openRequest),
    containerLogs: host.containerLogs,
    domains: noDomains,
    dockerFacts: () => host.dockerFacts(),
    state: () => ({
      firewall: { firewall: 'missing', firewallProblem: 'Not set by a test.' },
      foreignPorts: [],
      lastUpgrade: null,
      trouble: null,
    }),
    reconcile: (unfinished) => host.reconcile(unfinished),
    keepRunning: async () => {},
    stop: async () => {},
  });
  const daemon = await startOncePossible({
    dataDirectory,
    clock,
    logger: silentLogger,
    stopped: (error) => void errors.push(error),
    createHostWork: async ({ openRequest }) => {
      const error = prevented();
      if (error !== undefined) throw error;
      return hostWork(openRequest);
    },
  });
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= daemon.stop();
    return stopping;
  };
  onTestFinished(async () => {
    const stopped = stop();
    await clock.advance(10_000);
    await stopped;
    await hub.close();
  });
  const stage: Stage = {
    ...{ ...tools, hub, clock, dataDirectory, daemon: { stop }, runs, recoveries, errors, alertRules, host },
    run: (number) => until(`run ${number}`, () => runs[number - 1]),
    async result(job) {
      const report = await hub.received('report', (one) => one.job === job && one.event.type === 'result');
      if (report.event.type !== 'result') throw new Error('no result');
      return report.event.result;
    },
    async pass(ms) {
      for (let left = ms; left > 0; left -= passStepMs) {
        await clock.advance(Math.min(left, passStepMs));
        await roundTrip(hub);
      }
    },
    acknowledgeAll() {
      hub.onFrame = (frame) => {
        if (frame.type === 'logs') acknowledgeLogs(hub, frame);
        if (frame.type === 'report') hub.send({ type: 'report-ack', id: frame.id });
      };
    },
  };
  stage.acknowledgeAll();
  await hub.welcomed(welcomes + 1);
  return stage;
}

/** Less than the time after which an unanswered ping counts. */
const passStepMs = 5_000;

/** Resolves when the runner has processed everything that was sent to it before. */
export async function roundTrip(hub: TestHub): Promise<void> {
  const id = randomUUID();
  hub.send({
    type: 'request',
    id,
    deadlineMs: 60_000,
    ask: { op: 'probe-route', hostname: 'app.localhost' },
  });
  await hub.received('response', (response) => response.id === id);
}

export function acknowledgeLogs(hub: TestHub, { job, first, lines }: RunnerFrameOf<'logs'>): void {
  hub.send({ type: 'log-ack', job, through: first + lines.length - 1, watched: false });
}

/** Runs until the test ends it, or its signal is aborted. */
function inHands(
  runs: Run[],
  host: Stage['host'],
  { spec, secrets, context }: Pick<Run, 'spec' | 'secrets' | 'context'>,
): Promise<JobResult> {
  const { promise, resolve, reject } = Promise.withResolvers<JobResult>();
  runs.push({ spec, secrets, context, finish: (result = succeeded) => resolve(result), fail: reject });
  context.signal.addEventListener('abort', () => {
    if (host.heedsSignal) reject(context.signal.reason);
  });
  return promise;
}
