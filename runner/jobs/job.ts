/** What a job is given and what it gives back. The scheduler runs jobs; a job knows nothing of sockets, leases or queues. */
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
  /** The job has entered a phase: journalled and reported. Facts known so far go along. */
  enter(phase: JobPhase, facts: JobFacts): void;
  /** What was told so far by `enter`; of a recovered job, by the dead process. */
  told(): JobFacts;
  /** Asks for permission to move traffic. From `true` on the job can't be aborted; `false` also when a connected hub has not answered for 60 s. */
  requestSwitch(): Promise<boolean>;
  /** Remembers, in the journal and before the call returns, what a restarted runner needs to finish or undo the job. */
  checkpoint(data: Record<string, unknown>): void;
}

/** `removed`: its service is being deleted. `shutdown`: the runner is told to stop. */
export type StopReason = 'aborted' | 'deadline' | 'removed' | 'shutdown';

/** Why `signal` was aborted. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped';
  readonly reason: StopReason;
  constructor(reason: StopReason) {
    super(`job stopped: ${reason}`);
    this.reason = reason;
  }
}

/** One kind of job. `run` reads like a runbook; `recover` ends a job that a dead runner left behind. */
export interface Job<Spec extends JobSpec> {
  run(spec: Spec, secrets: DeploySecrets, context: JobContext): Promise<JobResult>;
  /** @param checkpoint the merged data of all `checkpoint` calls of the dead process; empty if it made none. */
  recover(spec: Spec, checkpoint: Record<string, unknown>, context: JobContext): Promise<JobResult>;
}

/** One job per kind; a forgotten kind does not compile. */
export type JobRegistry = { [Kind in JobSpec['kind']]: Job<Extract<JobSpec, { kind: Kind }>> };

/** The job of a spec's kind, for that very spec. */
export function jobFor(jobs: JobRegistry, spec: JobSpec) {
  // Under each kind lies the job for specs of that kind; TypeScript does not follow this from the key to the value.
  const job = jobs[spec.kind] as Job<JobSpec>;
  return {
    run: (secrets: DeploySecrets, context: JobContext) => job.run(spec, secrets, context),
    recover: (checkpoint: Record<string, unknown>, context: JobContext) =>
      job.recover(spec, checkpoint, context),
  };
}
