/** The running daemon: starts its parts in dependency order and stops them again. */
import { randomUUID } from 'node:crypto';
import type { JobSpec } from '../protocol/job-spec.ts';
import { requestPlace } from '../protocol/sealed-box.ts';
import { type Clock, pause, systemClock } from './base/clock.ts';
import type { Logger } from './base/logger.ts';
import type { RunnerError } from './base/runner-error.ts';
import { Conversation } from './connection/hub-conversation.ts';
import { openSealedBox } from './connection/sealed-box.ts';
import type { CreateHostWork, HostWork } from './host/host-work.ts';
import { type Journal, openJournal } from './journal/journal.ts';
import { Chores } from './scheduling/chores.ts';
import { readConfig } from './setup/config-file.ts';
import { recordConnection } from './setup/connection-record.ts';
import { lockDataDirectory } from './setup/data-lock.ts';
import { readIdentity } from './setup/identity.ts';

export interface DaemonOptions {
  dataDirectory: string;
  createHostWork: CreateHostWork;
  logger: Logger;
  clock?: Clock;
  /** One id for each process: its connections replace each other, one after the other. By default a new id. */
  bootId?: string;
  /** Awaited before the first connection. */
  beforeConnecting?: () => Promise<void> | undefined;
  /** The control plane no longer accepts this runner: see RunnerError. */
  stopped: (error: RunnerError) => void;
}

export interface Daemon {
  /** Starts no more jobs; resolves when the running ones have ended. */
  finishJobs(): Promise<void>;
  /**
   * Stops the jobs and ends within 5 s; deployed apps keep running.
   * @param why.isRevoked also ends a proxy that serves nothing, which may take 10 s more
   */
  stop(why?: { isRevoked: boolean }): Promise<void>;
}

/** Time for jobs that have not switched traffic yet to undo their work; the journal recovers the others at the next start. */
const jobsStopMs = 3_500;
/** Time for chores and supervision to stop. */
const partsStopMs = 1_000;
/** Caddy gives requests 10 s to end. */
const proxyEndMs = 12_000;
/** Docker may start after the runner. Jobs wait for this many tries; further tries run in parallel with the jobs. */
const reconcileTriesFirst = 5;
const reconcilePauseMs = { first: 3_000, later: 30_000 };

/** @throws RunnerError, ProxyError; parts that were already started are stopped first */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const {
    dataDirectory,
    logger,
    clock = systemClock,
    createHostWork,
    stopped,
    bootId = randomUUID(),
  } = options;
  const config = readConfig(dataDirectory);
  const identity = readIdentity(dataDirectory);
  const lock = lockDataDirectory(dataDirectory);
  let journal: Journal | undefined;
  let host: HostWork | undefined;
  try {
    journal = openJournal(dataDirectory, clock.now());
    const chores = new Chores({ records: journal.chores, clock, logger });
    const { runnerId } = config;
    const openRequest = (op: string, sealed: string) =>
      openSealedBox(identity.openingKey, requestPlace(runnerId, op), sealed);
    host = await createHostWork({ config, dataDirectory, logger, clock, chores, openRequest });
    const connected = () => recordConnection({ dataDirectory, clock, logger });
    const conversation = new Conversation({
      ...{ config, identity, bootId, journal, host, clock, logger, stopped, connected },
    });
    const parts: DaemonParts = { journal, chores, host, conversation, clock, logger };
    await options.beforeConnecting?.();
    return begin(parts, () => lock.release());
  } catch (error) {
    await host?.stop(false);
    journal?.close();
    lock.release();
    throw error;
  }
}

interface DaemonParts {
  journal: Journal;
  chores: Chores;
  host: HostWork;
  conversation: Conversation;
  clock: Clock;
  logger: Logger;
}

/** Connects at once; jobs and chores start once the host is reconciled. */
function begin(parts: DaemonParts, unlock: () => void): Daemon {
  const { journal, chores, host, conversation, clock, logger } = parts;
  const stopping = new AbortController();
  conversation.start();
  void host.watch(() => conversation.hostChanged(), stopping.signal);
  const open = () => {
    if (stopping.signal.aborted) return;
    chores.start(host.chores);
    conversation.openJobs();
  };
  const hasJob = (serviceId: string) =>
    journal.jobs.running().some(({ spec }) => spec?.serviceId === serviceId);
  void reconcile(parts, open, stopping.signal).then(() => host.keepRunning(hasJob, stopping.signal));
  return {
    finishJobs: () => conversation.finishJobs(),
    async stop({ isRevoked } = { isRevoked: false }) {
      stopping.abort();
      await Promise.race([conversation.closeJobs(), pause(clock, jobsStopMs)]);
      conversation.end();
      const letGo = Promise.allSettled([chores.stop(), host.stop(isRevoked)]);
      await Promise.race([letGo, pause(clock, isRevoked ? proxyEndMs : partsStopMs)]);
      logger.info('stopped');
      journal.close();
      unlock();
    },
  };
}

/** Retries until it succeeds once. @param open called after the first success, or once jobs have waited long enough for it */
async function reconcile(
  { journal, host, clock, logger }: DaemonParts,
  open: () => void,
  signal: AbortSignal,
): Promise<void> {
  const unfinished = () => {
    const specs = journal.jobs.running().map(({ spec }) => spec);
    return {
      deployments: new Set(specs.flatMap((spec) => ownerOf(spec) ?? [])),
      restored: new Set(specs.flatMap((spec) => (spec && exchangesContainers(spec) ? spec.serviceId : []))),
    };
  };
  for (let tries = 1; !signal.aborted; tries++) {
    try {
      await host.reconcile(unfinished);
      if (tries <= reconcileTriesFirst) open();
      return;
    } catch (error) {
      logger.warn(`the host could not be reconciled (try ${tries}): ${String(error)}`);
    }
    if (tries === reconcileTriesFirst) open();
    const { first, later } = reconcilePauseMs;
    await pause(clock, tries < reconcileTriesFirst ? first : later, signal);
  }
}

/** Containers of unfinished jobs may be half exchanged. */
/** The owner in the labels of a job's containers: its deployment. */
const ownerOf = (spec: JobSpec | undefined | null) =>
  spec?.kind === 'deploy' ? spec.deploymentId : spec?.kind === 'run' ? spec.runId : undefined;

const exchangesContainers = ({ kind }: JobSpec) =>
  kind === 'restore' || kind === 'import' || kind === 'upgrade';
