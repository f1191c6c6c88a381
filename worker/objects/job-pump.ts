/**
 * Brings rows and runner together: what the rows say is to run and the runner is not known to have is sent, what it has and should not
 * is aborted, and what is queued is claimed as far as there is room. It may run at any time and any number of times.
 */
import { closeCodes } from '../../protocol/enrolment.ts';
import { protocolVersion } from '../../protocol/frames.ts';
import { placesOfHost } from '../../protocol/job-places.ts';
import type { Leases } from '../domain/leases.ts';
import { claimNextJob } from '../store/claim-store.ts';
import { listDueHostTasks } from '../store/host-task-store.ts';
import { type JobRow, listActiveJobs } from '../store/job-store.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import { dispatchJob, jobDeadlinesMs } from '../usecases/jobs/dispatch-job.ts';
import { type RunnerSockets, silenceLimitMs } from './runner-sockets.ts';

/** Claims in a row; jobs that can't be dispatched end at once and make room. More than this wait for the next round. */
const claimsPerRound = 20;
const tasksPerRound = 20;
/** A task that was sent and not answered is sent again after this long. */
const taskResendMs = 60_000;

export interface PumpParts {
  deps(): Dependencies;
  sockets: RunnerSockets;
  leases: Leases;
  /** The socket was found dead and closed. */
  lost(runnerId: string): Promise<void>;
}

export class JobPump {
  readonly #parts: PumpParts;
  #running: Promise<void> | undefined;
  #again = false;
  readonly #tasksSentAt = new Map<string, number>();

  constructor(parts: PumpParts) {
    this.#parts = parts;
  }

  /** One round at a time; a call during a round makes one more follow. Never throws: the next wake-up or the minute's sweep goes on. */
  run(runnerId: string): Promise<void> {
    this.#again = true;
    this.#running ??= this.#rounds(runnerId).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  taskSent(taskId: string): void {
    this.#tasksSentAt.set(taskId, this.#parts.deps().now());
  }

  taskDone(taskId: string): void {
    this.#tasksSentAt.delete(taskId);
  }

  /** A new connection: what was sent over the old one may be lost. */
  forgetSent(): void {
    this.#tasksSentAt.clear();
  }

  async #rounds(runnerId: string): Promise<void> {
    while (this.#again) {
      this.#again = false;
      try {
        await this.#round(runnerId);
      } catch (error) {
        console.error(`the hub of ${runnerId} could not look for work`, error);
      }
    }
  }

  async #round(runnerId: string): Promise<void> {
    const { deps, sockets } = this.#parts;
    const socket = sockets.current;
    if (!socket || deps().now() - sockets.lastPing(socket) > silenceLimitMs) return this.#giveUp(runnerId);
    const active = await listActiveJobs(deps().db, runnerId, deps().now());
    this.#abortUnwanted(active);
    for (const job of active) {
      if (!(await this.#ensureStarted(job))) return this.#giveUp(runnerId);
    }
    await this.#claimQueued(runnerId);
    await this.#sendDueTasks(runnerId);
  }

  /** Nobody there, or nobody alive. */
  async #giveUp(runnerId: string): Promise<void> {
    const { sockets, lost } = this.#parts;
    const socket = sockets.current;
    if (socket) sockets.close(socket, closeCodes.silent, 'nothing was heard for too long');
    await lost(runnerId);
  }

  /** The row ended, or another attempt is at work: what the runner has is not wanted any more. */
  #abortUnwanted(active: readonly JobRow[]): void {
    const { leases, sockets } = this.#parts;
    const wanted = new Set(active.map((job) => attemptKey(job.id, job.epoch)));
    for (const { job, epoch } of leases.records()) {
      if (wanted.has(attemptKey(job, epoch))) continue;
      leases.drop(job);
      sockets.send({ v: protocolVersion, type: 'abort', job, epoch });
    }
  }

  /** @returns false when the runner was asked and stayed silent: the connection is dead. */
  async #ensureStarted(job: JobRow): Promise<boolean> {
    const { deps, leases, sockets } = this.#parts;
    const lease = leases.find(job.id);
    const lapsed = lease !== undefined && lease.until <= deps().now();
    if (lapsed && lease.asked) return false;
    if (!lease || lapsed) await this.#start(job.id, lapsed);
    // The row as it is now may say more than the one that was read, but never less.
    if (job.abortRequestedAt !== null) {
      sockets.send({ v: protocolVersion, type: 'abort', job: job.id, epoch: job.epoch });
    }
    return true;
  }

  async #claimQueued(runnerId: string): Promise<void> {
    const { deps } = this.#parts;
    for (let claims = 0; claims < claimsPerRound; claims++) {
      const at = deps().now();
      const claim = { runnerId, at, deadlinesMs: jobDeadlinesMs, places: placesOfHost };
      const jobId = await claimNextJob(deps().db, claim);
      if (jobId === undefined) return;
      await this.#start(jobId, false);
    }
    this.#again = true;
  }

  async #start(jobId: string, asked: boolean): Promise<void> {
    const { deps, leases, sockets } = this.#parts;
    const start = await dispatchJob(deps(), jobId);
    if (!start) return leases.drop(jobId);
    if (sockets.send(start)) leases.grant(jobId, start.epoch, deps().now(), asked);
  }

  async #sendDueTasks(runnerId: string): Promise<void> {
    const { deps, sockets } = this.#parts;
    const now = deps().now();
    const due = await listDueHostTasks(deps().db, { runnerId, now, limit: tasksPerRound });
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
