/**
 * Accepts jobs, runs them, and reports their results.
 *
 *   start -> journal `taken` -> a free place, no other job of the service -> journal `running` -> the job runs
 *     -> result and report in one transaction -> log lines acknowledged -> report sent until acknowledged
 *
 * A repeated start changes nothing; a newer epoch replaces an older one, whose attempt is stopped first.
 */
import type { HubFrameOf } from '../../protocol/frames.ts';
import type { JobPlace } from '../../protocol/job-places.ts';
import type { JobResult } from '../../protocol/job-report.ts';
import type { DeploySecrets, JobSpec } from '../../protocol/job-spec.ts';
import { secretMask, secretValues } from '../job-log/secret-mask.ts';
import { type JobContext, type JobRegistry, jobFor, type StopReason } from '../jobs/job.ts';
import type { Attempt, UnfinishedJob } from '../journal/job-records.ts';
import { type AttemptParts, type AttemptStart, JobAttempt } from './job-attempt.ts';
import { closingLine, resultOfError, secretsUnopened, specUnreadable } from './job-outcome.ts';
import { JobResults } from './job-results.ts';
import { nextJobs } from './next-jobs.ts';
import { recoverJob } from './recover-job.ts';

export interface SchedulerParts extends Omit<AttemptParts, 'entered'> {
  jobs: JobRegistry;
  /** Maximum number of parallel jobs. */
  places: Readonly<Record<JobPlace, number>>;
  /** Decrypts the secrets of a start frame. @throws Error if they belong to another attempt */
  openSecrets: (attempt: Attempt, sealed: string) => DeploySecrets;
  /** Call before the last lines of a job's log are spooled. */
  logEnds: (job: string) => void;
  /** Reports of older attempts must no longer be sent. */
  dropOlderReports: (job: string, epoch: number) => void;
  /** Called when the result of `held` has changed. */
  heldChanged: () => void;
}

/** Time limit for recovering a job of a previous process; after its switch, a deployment only renames and removes. */
const recoveryLimitMs = 10 * 60_000;

interface Queued {
  attempt: JobAttempt;
  work: (context: JobContext) => Promise<JobResult>;
}

export class JobScheduler {
  readonly #parts: SchedulerParts;
  readonly #results: JobResults;
  /** Waiting and running attempts by job id. */
  readonly #attempts = new Map<string, JobAttempt>();
  readonly #running = new Set<JobAttempt>();
  #waiting: Queued[] = [];
  #isOpen = false;
  #closing = false;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    this.#results = new JobResults(parts);
  }

  /** Jobs that this runner reports: waiting, running, or with an unacknowledged result. */
  held(): Attempt[] {
    const held = new Map<string, Attempt>();
    for (const { job, epoch, event } of this.#parts.journal.reports.all()) {
      if (event.type === 'result') held.set(job, { job, epoch });
    }
    for (const { job, epoch, discarded } of this.#attempts.values()) {
      if (!discarded) held.set(job, { job, epoch });
    }
    return [...held.values()];
  }

  /** Runs jobs from now on; before, they are only accepted. */
  open(): void {
    this.#isOpen = true;
    this.#fillPlaces();
  }

  /** Begins no more jobs; waiting ones are accepted, for this process or the next. Resolves when the running ones have ended. */
  async finish(): Promise<void> {
    this.#isOpen = false;
    await Promise.all([...this.#running].map((attempt) => attempt.ended));
  }

  /** Recovers the jobs of the previous process. Call it once, before the first `start`. */
  recover(): void {
    const { journal } = this.#parts;
    for (const job of journal.jobs.forgetTaken()) journal.logs.forget(job);
    for (const left of journal.jobs.running()) this.#recoverOne(left);
  }

  async start({ job, epoch, spec, sealed, deadlineMs }: HubFrameOf<'start'>): Promise<void> {
    if (this.#closing || !this.#isNew({ job, epoch })) return;
    const older = this.#attempts.get(job);
    if (older) {
      older.discarded = true;
      this.#stop(older, 'aborted');
      await older.ended;
      if (this.#closing || !this.#isNew({ job, epoch })) return;
    }
    const { journal, dropOlderReports } = this.#parts;
    journal.transaction(() => {
      journal.jobs.take({ job, epoch }, spec);
      journal.reports.removeOlder(job, epoch);
    });
    dropOlderReports(job, epoch);
    this.#enqueueStart({ job, epoch, spec, deadlineMs }, sealed);
    this.#parts.heldChanged();
    this.#fillPlaces();
  }

  abort({ job, epoch }: Attempt): void {
    const attempt = this.#attempts.get(job);
    if (attempt?.epoch === epoch) this.#stop(attempt, 'aborted');
  }

  /** A log has a reader: spools its waiting lines now. */
  flushLog(job: string): void {
    this.#attempts.get(job)?.log.flush();
  }

  /** Stops the job of a service that is being removed; resolves when it has ended. A job past its switch runs to its end. */
  async stopService(serviceId: string): Promise<void> {
    const attempts = [...this.#attempts.values()].filter((attempt) => attempt.serviceId === serviceId);
    for (const attempt of attempts) this.#stop(attempt, 'removed');
    await Promise.all(attempts.map((attempt) => attempt.ended));
  }

  /**
   * Call before the process ends: accepts no more jobs, stops those before their switch (they undo their work and end as
   * `runner_restarted`) and waits for all except recoveries.
   * Jobs that have not ended by then are recovered by the next process.
   */
  async close(): Promise<void> {
    this.#closing = true;
    this.#waiting = []; // not started: deleted at the next start, and sent again by the hub
    const running = [...this.#running].filter(({ isRecovery }) => !isRecovery);
    for (const attempt of running) attempt.stop('shutdown');
    await Promise.all(running.map((attempt) => attempt.ended));
  }

  /** True if a start is new. A repeated start of an ended job sends its result again. */
  #isNew({ job, epoch }: Attempt): boolean {
    const known = this.#parts.journal.jobs.find(job);
    if (!known || epoch > known.epoch) return true;
    if (epoch === known.epoch && known.state === 'ended')
      this.#results.reportAgain({ job, epoch }, known.result);
    return false;
  }

  #enqueueStart(start: Attempt & { spec: JobSpec; deadlineMs: number }, sealed: string): void {
    const { openSecrets, jobs, logger } = this.#parts;
    const { spec } = start;
    let secrets: DeploySecrets | undefined;
    try {
      secrets = openSecrets(start, sealed);
    } catch (error) {
      logger.error(`the secrets of ${start.job} could not be opened`, error);
    }
    const values = secrets ? secretValues(secrets) : [];
    const opened = secrets;
    const attempt = { ...start, mask: secretMask(values), facts: {}, checkpoint: {}, isRecovery: false };
    this.#enqueue(attempt, async (context) =>
      opened ? jobFor(jobs, spec).run(opened, context) : secretsUnopened(),
    );
  }

  #recoverOne(left: UnfinishedJob): void {
    const { job, epoch, spec, phase, facts, checkpoint } = left;
    const { logger } = this.#parts;
    if (!spec) {
      logger.error(`${job} was left unfinished by another version, and this version can't read it`);
      this.#results.record({ job, epoch }, specUnreadable(facts));
      return;
    }
    const start: AttemptStart = {
      ...{ job, epoch, spec, facts, checkpoint },
      mask: secretMask([]),
      deadlineMs: recoveryLimitMs,
      isRecovery: true,
    };
    logger.info(`recovering ${job}, which the previous process left unfinished`);
    this.#enqueue(start, (context) => {
      const where = phase === null ? 'before the first phase' : `in the phase "${phase}"`;
      context.log.line(
        'system',
        `The runner ended ${where} of this job. What it logged in its last second may be missing.`,
      );
      return recoverJob(this.#parts, spec, checkpoint, context);
    });
  }

  #enqueue(start: AttemptStart, work: Queued['work']): void {
    const attempt = new JobAttempt({ ...this.#parts, entered: () => this.#fillPlaces() }, start);
    this.#attempts.set(start.job, attempt);
    this.#waiting.push({ attempt, work });
  }

  #fillPlaces(): void {
    if (!this.#isOpen || this.#closing) return;
    const waiting = this.#waiting.map(({ attempt }) => attempt);
    const next = new Set(nextJobs(waiting, this.#running, this.#parts.places));
    const begun = this.#waiting.filter(({ attempt }) => next.has(attempt));
    this.#waiting = this.#waiting.filter(({ attempt }) => !next.has(attempt));
    for (const attempt of next) this.#running.add(attempt);
    for (const queued of begun) void this.#run(queued);
  }

  async #run({ attempt, work }: Queued): Promise<void> {
    const result = await this.#outcome(attempt, work);
    this.#closeLog(attempt, result);
    if (!attempt.discarded) await this.#results.recordOnceWritable(attempt, result, () => this.#closing);
    this.#leave(attempt);
  }

  async #outcome(attempt: JobAttempt, work: Queued['work']): Promise<JobResult> {
    try {
      this.#parts.journal.jobs.begin(attempt);
      return await attempt.run(work);
    } catch (error) {
      this.#parts.logger.error(`${attempt.job} could not be started`, error);
      return resultOfError(error, attempt.stopped, {});
    }
  }

  /** A waiting attempt ends at once; a running one ends with its work. */
  #stop(attempt: JobAttempt, reason: StopReason): void {
    attempt.stop(reason);
    const queued = this.#waiting.find((one) => one.attempt === attempt);
    if (!queued) return;
    this.#waiting = this.#waiting.filter((one) => one !== queued);
    void this.#run(queued);
  }

  #closeLog(attempt: JobAttempt, result: JobResult): void {
    try {
      if (!attempt.discarded) attempt.log.line('system', closingLine(result, attempt.isPreparation));
      if (!attempt.discarded) this.#parts.logEnds(attempt.job);
      attempt.log.end();
    } catch (error) {
      this.#parts.logger.error(`the log of ${attempt.job} could not be closed`, error);
    }
  }

  #leave(attempt: JobAttempt): void {
    this.#running.delete(attempt);
    if (this.#attempts.get(attempt.job) === attempt) this.#attempts.delete(attempt.job);
    attempt.end();
    this.#parts.heldChanged();
    this.#fillPlaces();
  }
}
