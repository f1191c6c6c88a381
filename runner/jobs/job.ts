/** The interface between jobs and the scheduler that runs them: a job is independent of sockets, leases and queues. */
import type { JobFacts, JobPhase, JobResult } from '../../protocol/job-report.ts';
import type { DeploySecrets, JobSpec } from '../../protocol/job-spec.ts';
import type { JobLog } from '../job-log/job-log.ts';

export interface JobContext {
  readonly jobId: string;
  /** Attempt number; written into labels, checked before every side effect through `signal`. */
  readonly epoch: number;
  /** Aborted by a user's abort, the deadline, or an attempt that is no longer wanted; the reason is a JobStopped. */
  readonly signal: AbortSignal;
  readonly log: JobLog;
  /** Journals and reports that the job has entered a phase, with the facts known so far. */
  enter(phase: JobPhase, facts: JobFacts): void;
  /** The facts reported so far by `enter`, including those of the previous process for a recovered job. */
  reportedFacts(): JobFacts;
  /**
   * Asks for permission to move traffic. After `true` the job can't be aborted; `false` also when a connected hub does not answer for 60 s.
   */
  requestSwitch(): Promise<boolean>;
  /** Journals, before the call returns, the facts that a restarted runner needs to finish or undo the job. */
  checkpoint(data: Record<string, unknown>): void;
}

/** `removed`: its service is being deleted. `shutdown`: the runner is stopping. `error`: an error that its own code did not catch. */
export type StopReason = 'aborted' | 'deadline' | 'removed' | 'shutdown' | 'error';

/** The reason of an aborted `signal`. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped';
  readonly reason: StopReason;
  constructor(reason: StopReason) {
    super(`job stopped: ${reason}`);
    this.reason = reason;
  }
}

/** One kind of job. `run` reads like a runbook; `recover` finishes the job of a previous process. */
export interface Job<Spec extends JobSpec> {
  run(spec: Spec, secrets: DeploySecrets, context: JobContext): Promise<JobResult>;
  /** @param checkpoint the merged data of all `checkpoint` calls of the previous process; empty if there were none */
  recover(spec: Spec, checkpoint: Record<string, unknown>, context: JobContext): Promise<JobResult>;
}

/** One job per kind; a missing kind does not compile. */
export type JobRegistry = { [Kind in JobSpec['kind']]: Job<Extract<JobSpec, { kind: Kind }>> };

/** The job of a spec's kind, for that very spec. */
export function jobFor(jobs: JobRegistry, spec: JobSpec) {
  // Each key holds the job for specs of that kind, but TypeScript cannot infer the value's type from the key.
  const job = jobs[spec.kind] as Job<JobSpec>;
  return {
    run: (secrets: DeploySecrets, context: JobContext) => job.run(spec, secrets, context),
    recover: (checkpoint: Record<string, unknown>, context: JobContext) =>
      job.recover(spec, checkpoint, context),
  };
}
