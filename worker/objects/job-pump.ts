/**
 * Brings the runner to the state in the rows: jobs that should run but have no lease are sent, jobs that the runner should not have
 * are aborted, and queued jobs are claimed while there are free places. It may run at any time and any number of times.
 */
import { closeCodes } from '../../protocol/enrolment.ts';
import { protocolVersion } from '../../protocol/frames.ts';
import { placesOfHost } from '../../protocol/job-places.ts';
import type { Leases } from '../domain/jobs/leases.ts';
import { claimNextJob } from '../store/jobs/claim-store.ts';
import type { HostTaskRow } from '../store/jobs/host-task-store.ts';
import { type JobRow, readHostWork } from '../store/jobs/job-store.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import { dispatchJob, jobDeadlinesMs } from '../usecases/jobs/dispatch-job.ts';
import type { KnownJobs } from '../usecases/jobs/known-jobs.ts';
import type { HostSettings } from './host-settings.ts';
import type { RunnerSockets } from './runner-sockets.ts';

/** Claims per round. Jobs that can't be dispatched end immediately and free their place; the rest waits for the next round. */
const claimsPerRound = 20;
const tasksPerRound = 20;
/** An unacknowledged task is sent again after this time. */
const taskResendMs = 60_000;

export interface PumpParts {
  deps(): Dependencies;
  sockets: RunnerSockets;
  leases: Leases;
  known: KnownJobs;
  settings: HostSettings;
  /** Called after a dead socket was found and closed. */
  lost(runnerId: string): Promise<void>;
  /** Called for a job that ended before it was sent to the host. */
  jobEnded(jobId: string): void;
}

export class JobPump {
  readonly #parts: PumpParts;
  #running: Promise<void> | undefined;
  #again = false;
  readonly #tasksSentAt = new Map<string, number>();
  #mayHaveWaiting = true;

  constructor(parts: PumpParts) {
    this.#parts = parts;
  }

  /** Runs one round at a time; a call during a round adds another. Never throws: the next wake-up or the minute's sweep continues. */
  run(runnerId: string): Promise<void> {
    this.#again = true;
    this.#running ??= this.#rounds(runnerId).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /**
   * Whether the last check of this host left jobs over, so that a free place or a started runner is useful. A job that is queued later wakes up the
   * hub, and the sweep makes up for a lost wake-up.
   */
  get mayHaveWaiting(): boolean {
    return this.#mayHaveWaiting;
  }

  taskSent(taskId: string): void {
    this.#tasksSentAt.set(taskId, this.#parts.deps().now());
  }

  taskDone(taskId: string): void {
    this.#tasksSentAt.delete(taskId);
  }

  /** For a new connection: frames sent over the old one may be lost. */
  forgetSent(): void {
    this.#tasksSentAt.clear();
  }

  async #rounds(runnerId: string): Promise<void> {
    while (this.#again) {
      this.#again = false;
      try {
        await this.#round(runnerId);
      } catch (error) {
        console.error(`The hub of ${runnerId} could not look for work:`, error);
      }
    }
  }

  async #round(runnerId: string): Promise<void> {
    const { deps, leases, sockets } = this.#parts;
    this.#mayHaveWaiting = true;
    if (sockets.isSilent !== false) return this.#giveUp(runnerId);
    const asked = { runnerId, now: deps().now(), tasksMax: tasksPerRound };
    const { active, dueTasks, hasQueued, isStarted } = await readHostWork(deps().db, asked);
    this.#mayHaveWaiting = hasQueued || !isStarted;
    // The runner only reports why it can't start, or is too old: it gets no requests, not even about jobs that it no longer mentions.
    if (!isStarted) return leases.dropLapsed(deps().now());
    this.#abortUnwanted(active);
    for (const job of active) {
      if (!(await this.#ensureStarted(job))) return this.#giveUp(runnerId);
    }
    if (hasQueued) await this.#claimQueued(runnerId);
    this.#sendTasks(dueTasks);
  }

  /** Handles a missing or dead socket. */
  async #giveUp(runnerId: string): Promise<void> {
    const { sockets, lost } = this.#parts;
    const socket = sockets.current;
    if (socket) sockets.close(socket, closeCodes.silent, 'silent for too long');
    await lost(runnerId);
  }

  /** Aborts jobs on the runner that no longer match the rows: the job has ended, or another attempt is active. */
  #abortUnwanted(active: readonly JobRow[]): void {
    const { leases, sockets } = this.#parts;
    const wanted = new Set(active.map((job) => attemptKey(job.id, job.epoch)));
    for (const { job, epoch } of leases.records()) {
      if (wanted.has(attemptKey(job, epoch))) continue;
      leases.drop(job);
      sockets.send({ v: protocolVersion, type: 'abort', job, epoch });
    }
  }

  /** @returns false if the runner did not answer the request: the connection is dead */
  async #ensureStarted(job: JobRow): Promise<boolean> {
    const { deps, leases, sockets } = this.#parts;
    const lease = leases.find(job.id);
    const lapsed = lease !== undefined && lease.until <= deps().now();
    if (lapsed && lease.asked) return false;
    if (!lease || lapsed) await this.#start(job, lapsed);
    // The abort flag of the row is still valid, because it is never removed.
    if (job.abortRequestedAt !== null) {
      sockets.send({ v: protocolVersion, type: 'abort', job: job.id, epoch: job.epoch });
    }
    return true;
  }

  async #claimQueued(runnerId: string): Promise<void> {
    const { deps, known } = this.#parts;
    for (let claims = 0; claims < claimsPerRound; claims++) {
      const at = deps().now();
      const claim = { runnerId, at, deadlinesMs: jobDeadlinesMs, places: placesOfHost };
      const { claimed, hasMore } = await claimNextJob(deps().db, claim);
      this.#mayHaveWaiting = hasMore;
      if (!claimed) return;
      known.remember(claimed);
      await this.#start(claimed.job, false);
      if (!hasMore) return;
    }
    this.#again = true;
  }

  async #start(job: JobRow, asked: boolean): Promise<void> {
    const { deps, leases, settings, sockets, jobEnded } = this.#parts;
    const start = await dispatchJob(deps(), job);
    if (!start) {
      leases.drop(job.id);
      return jobEnded(job.id);
    }
    // The host may not have the settings of a new project yet.
    void settings.send(...start.settings);
    if (sockets.send(start.frame)) leases.grant(job.id, start.frame.epoch, deps().now(), asked);
  }

  #sendTasks(due: readonly HostTaskRow[]): void {
    const { deps, sockets } = this.#parts;
    const now = deps().now();
    for (const { id, task } of due) {
      if (now - (this.#tasksSentAt.get(id) ?? 0) < taskResendMs) continue;
      this.taskSent(id);
      sockets.send({ v: protocolVersion, type: 'task', id, task });
    }
  }
}

function attemptKey(job: string, epoch: number): string {
  return `${job} ${epoch}`;
}
