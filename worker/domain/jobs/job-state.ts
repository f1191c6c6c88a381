/**
 * The states of a job, and the one function that defines what each event does.
 * Stores write the result of `transition` only if the row is unchanged since it was read, so that of two events exactly one wins.
 */
import { type JobPhase, jobPhases } from '../../../protocol/job-report.ts';
import type { JobKind } from '../../../protocol/job-spec.ts';
import { committedPhases } from './deployment-end.ts';

export const openJobStates = ['queued', 'active'] as const;
/** Final states. */
export const terminalJobStates = ['succeeded', 'failed', 'aborted'] as const;

export type OpenJobState = (typeof openJobStates)[number];
export type TerminalJobState = (typeof terminalJobStates)[number];
export type JobState = OpenJobState | TerminalJobState;

export function isTerminal(state: string): state is TerminalJobState {
  return terminalJobStates.some((terminal) => terminal === state);
}

/** The columns of a job that decide which events apply to it. */
export interface JobSituation {
  kind: JobKind;
  state: JobState;
  /** The phase that the runner reported last; null before the first report. */
  phase: JobPhase | null;
  epoch: number;
  abortRequestedAt: number | null;
}

/** The start of the error of a job that ended because the database was restored to an earlier time: the host may have completed it. */
export const putBackReason = "The control plane's database was put back";

export type JobEvent =
  /** The hub of its host takes the job, which begins a new attempt. */
  | { type: 'claimed' }
  /** The runner reports its current phase. A late report does not change the phase, but its facts are used. */
  | { type: 'phase-reported'; epoch: number; phase: JobPhase }
  /** The runner asks for permission to move the traffic. */
  | { type: 'switch-requested'; epoch: number }
  | { type: 'result-reported'; epoch: number; outcome: TerminalJobState }
  /** The job's spec can't be built. */
  | { type: 'undispatchable' }
  /** The host has been disconnected for too long. */
  | { type: 'runner-lost' }
  | { type: 'runner-revoked' }
  /** The database was restored to an earlier time: the host may have ended the job long ago. */
  | { type: 'database-restored' }
  | { type: 'deadline-passed' }
  | { type: 'queue-timed-out' };

/** @returns the job after the event; null if the event changes nothing because it is late, from another attempt, or not allowed. */
export function transition(job: JobSituation, event: JobEvent): JobSituation | null {
  switch (event.type) {
    case 'claimed':
      return job.state === 'queued' ? { ...job, state: 'active', phase: null, epoch: job.epoch + 1 } : null;
    case 'phase-reported':
      if (!isAttempt(job, event.epoch)) return null;
      return isForward(job, event.phase) ? { ...job, phase: event.phase } : job;
    case 'switch-requested':
      return isAttempt(job, event.epoch) && job.abortRequestedAt === null
        ? { ...job, phase: 'switch' }
        : null;
    case 'result-reported':
      return isAttempt(job, event.epoch) ? { ...job, state: event.outcome } : null;
    case 'undispatchable':
      return isActive(job) && !isCommitted(job) ? ended(job) : null;
    case 'runner-lost':
    case 'deadline-passed':
      // From the commit point on, the new version may be live. Only the host knows, so no timer ends the job.
      return isActive(job) && !isCommitted(job) ? ended(job) : null;
    case 'runner-revoked':
    case 'database-restored':
      return isOpen(job) ? ended(job) : null;
    case 'queue-timed-out':
      return job.state === 'queued' ? ended(job) : null;
  }
}

/** The traffic or the data has moved or is moving. */
function isCommitted(job: Pick<JobSituation, 'phase'>): boolean {
  return committedPhases.some((phase) => phase === job.phase);
}

/** A job that the platform ends has the state failed, or aborted if the user requested that before. */
function ended(job: JobSituation): JobSituation {
  return { ...job, state: job.abortRequestedAt === null ? 'failed' : 'aborted' };
}

function isOpen(job: JobSituation): boolean {
  return openJobStates.some((state) => state === job.state);
}

function isActive(job: JobSituation): boolean {
  return job.state === 'active';
}

function isAttempt(job: JobSituation, epoch: number): boolean {
  return isActive(job) && job.epoch === epoch;
}

/** `switch` and later phases never come from reports: only the granted permission writes them. */
function isForward({ kind, phase: from }: JobSituation, to: JobPhase): boolean {
  if (isCommitted({ phase: from }) || isCommitted({ phase: to })) return false;
  const order: readonly JobPhase[] = jobPhases[kind];
  return order.includes(to) && (from === null || order.indexOf(to) > order.indexOf(from));
}
