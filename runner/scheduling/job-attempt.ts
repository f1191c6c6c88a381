/** One attempt at a job: its context, its deadline, and its stop. Always ends with a result. */
import { randomUUID } from 'node:crypto';
import type { JobEvent, JobFacts, JobPhase, JobResult } from '../../protocol/job-report.ts';
import type { JobKind, JobSpec } from '../../protocol/job-spec.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { JobLogWriter } from '../job-log/job-log.ts';
import { presentableMessage } from '../job-log/presentable-line.ts';
import type { SecretMask } from '../job-log/secret-mask.ts';
import { type JobContext, JobStopped, type StopReason } from '../jobs/job.ts';
import type { Attempt } from '../journal/job-records.ts';
import type { Journal } from '../journal/journal.ts';
import type { Report } from '../journal/report-records.ts';
import { isUnexpected, resultOfError } from './job-outcome.ts';
import { inJob } from './job-scope.ts';
import type { SwitchPermission } from './switch-permission.ts';

export interface AttemptParts {
  journal: Journal;
  clock: Clock;
  logger: Logger;
  permission: SwitchPermission;
  report: (report: Report) => void;
  flushDelayMs: (job: string) => number;
  spooled: (job: string) => void;
  /** Called when a job has entered a phase. */
  entered: () => void;
}

/** The start of an attempt; a recovered one has the facts and checkpoint of the previous process. */
export interface AttemptStart extends Attempt {
  spec: JobSpec;
  mask: SecretMask;
  facts: JobFacts;
  checkpoint: Record<string, unknown>;
  /** Counted from now. */
  deadlineMs: number;
  /** True for the recovery of a previous process's job: if it is interrupted, it must run again. */
  isRecovery: boolean;
}

/** A stopped job kills its build and undoes its work within seconds. After this time a job that hangs is abandoned, to unblock its service. */
const stopGraceMs = 120_000;

export class JobAttempt {
  readonly job: string;
  readonly epoch: number;
  readonly serviceId: string;
  readonly kind: JobKind;
  /** null before the first phase. */
  phase: JobPhase | null = null;
  readonly isRecovery: boolean;
  readonly log: JobLogWriter;
  /** A newer attempt or a removal made this attempt obsolete: its end is not reported. */
  discarded = false;
  readonly #parts: AttemptParts;
  readonly #start: AttemptStart;
  readonly #controller = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  readonly #cancelDeadline: () => void;
  #facts: JobFacts;
  #checkpoint: Record<string, unknown>;
  #granted = false;
  #cancelGrace: (() => void) | undefined;
  #over = false;

  constructor(parts: AttemptParts, start: AttemptStart) {
    const { job, epoch, spec, mask } = start;
    this.#parts = parts;
    this.#start = start;
    this.job = job;
    this.epoch = epoch;
    this.serviceId = spec.serviceId;
    this.kind = spec.kind;
    this.isRecovery = start.isRecovery;
    this.#facts = start.facts;
    this.#checkpoint = start.checkpoint;
    const { clock, logger, flushDelayMs, spooled } = parts;
    if (spec.kind === 'deploy' && spec.logLinesBefore)
      parts.journal.logs.continueAfter(job, spec.logLinesBefore);
    this.log = new JobLogWriter({
      job,
      spool: parts.journal.logs,
      mask,
      clock,
      logger,
      flushDelayMs: () => flushDelayMs(job),
      spooled: () => spooled(job),
      tenantBytesLeft: this.#tenantLogBytes(),
    });
    this.#cancelDeadline = clock.after(start.deadlineMs, () => this.stop('deadline'));
  }

  /** True if the job ends when the image is ready: another job of the same deployment continues. */
  get isPreparation(): boolean {
    const { spec } = this.#start;
    return spec.kind === 'deploy' && spec.preparesOnly === true;
  }

  /** Resolves when the attempt has ended and its result is journalled. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get stopped(): JobStopped | undefined {
    const { signal } = this.#controller;
    return signal.reason instanceof JobStopped ? signal.reason : undefined;
  }

  /** Has no effect once the switch was granted: the job then runs to its end. */
  stop(reason: StopReason): void {
    if (!this.#granted) this.#controller.abort(new JobStopped(reason));
  }

  /**
   * Ends the attempt with an error that its own code did not catch, such as one of a stream. Its work is undone.
   * @returns false once the switch was granted: the job must run to its end, by itself or in the next process
   */
  fail(error: unknown): boolean {
    this.#logUnexpected(error);
    if (this.#granted && !this.#over) return false;
    this.stop('error');
    return true;
  }

  /** Runs the work to its end. Never rejects. */
  async run(work: (context: JobContext) => Promise<JobResult>): Promise<JobResult> {
    try {
      const stopped = this.stopped;
      const result = stopped
        ? resultOfError(stopped, stopped, this.#facts)
        : await Promise.race([this.#worked(work), this.#givenUp()]);
      return this.#masked({ ...result, facts: { ...this.#facts, ...result.facts, ...this.#logFacts() } });
    } finally {
      this.#over = true;
      this.#cancelDeadline();
      this.#cancelGrace?.();
    }
  }

  /** Call when the result is in the journal. */
  end(): void {
    this.#ended.resolve();
  }

  async #worked(work: (context: JobContext) => Promise<JobResult>): Promise<JobResult> {
    try {
      return await inJob(this, () => work(this.#context()));
    } catch (error) {
      const stopped = this.stopped;
      if (!stopped && isUnexpected(error)) this.#logUnexpected(error);
      return resultOfError(error, stopped, this.#facts);
    }
  }

  /** `null` if the tenant's build logs have no limit. */
  #tenantLogBytes(): number | null {
    const { spec } = this.#start;
    return spec.kind === 'deploy' || spec.kind === 'run' ? (spec.limits?.buildLogBytes ?? null) : null;
  }

  /** The size of the log counts for the tenant's limit. */
  #logFacts(): JobFacts {
    return this.#tenantLogBytes() === null ? {} : { logBytes: this.log.bytes };
  }

  /** The result for a job that does not end after it was stopped. */
  #givenUp(): Promise<JobResult> {
    const { promise, resolve } = Promise.withResolvers<JobResult>();
    const { clock, logger } = this.#parts;
    const giveUp = () => {
      const { stopped } = this;
      logger.error(`${this.job} did not end within ${stopGraceMs / 1000} s of being stopped`);
      if (stopped) resolve(resultOfError(stopped, stopped, this.#facts));
    };
    const startGrace = () => {
      this.#cancelGrace = clock.after(stopGraceMs, giveUp);
    };
    this.#controller.signal.addEventListener('abort', startGrace, { once: true });
    return promise;
  }

  #context(): JobContext {
    return {
      jobId: this.job,
      epoch: this.epoch,
      signal: this.#controller.signal,
      log: this.log,
      enter: (phase, facts) => this.#enter(phase, facts),
      reportedFacts: () => this.#facts,
      requestSwitch: () => this.#requestSwitch(),
      checkpoint: (data) => {
        this.#checkpoint = { ...this.#checkpoint, ...data };
        this.#parts.journal.jobs.checkpoint(this, this.#checkpoint);
      },
    };
  }

  #enter(phase: JobPhase, facts: JobFacts): void {
    if (this.#over) return;
    this.#facts = { ...this.#facts, ...facts };
    const event: JobEvent = { type: 'phase', phase, facts: this.#facts };
    const report: Report = { id: randomUUID(), job: this.job, epoch: this.epoch, event };
    const { journal } = this.#parts;
    journal.transaction(() => {
      journal.jobs.enter(this, phase, this.#facts);
      journal.reports.add(report);
    });
    this.phase = phase;
    this.#parts.report(report);
    this.#parts.entered();
  }

  async #requestSwitch(): Promise<boolean> {
    const { signal } = this.#controller;
    if (signal.aborted || this.#over) return false;
    const answer = await this.#parts.permission.ask(this, signal);
    if (signal.aborted) return false;
    // A denied switch means that the attempt is no longer wanted, usually because a user aborted it.
    if (answer === 'denied') this.stop('aborted');
    this.#granted = answer === 'granted';
    if (this.#granted) this.#cancelDeadline();
    return this.#granted;
  }

  /** Failure messages may quote program output. */
  #masked(result: JobResult): JobResult {
    if (result.outcome !== 'failed') return result;
    return { ...result, message: presentableMessage(result.message, this.#start.mask) };
  }

  #logUnexpected(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#parts.logger.error(`${this.job} failed unexpectedly: ${this.#start.mask.apply(text)}`);
  }
}
