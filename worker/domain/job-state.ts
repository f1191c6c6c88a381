/**
 * The life of a job: its states, and the one function that says what each event makes of it.
 * Stores write what `transition` answers only over the row it was asked about, so that of two events exactly one wins.
 */
import { type JobPhase, jobPhases } from '../../protocol/job-report.ts';
import type { JobKind } from '../../protocol/job-spec.ts';
import { committedPhases } from './deployment-end.ts';

export const openJobStates = ['queued', 'active'] as const;
/** These never change again. */
export const terminalJobStates = ['succeeded', 'failed', 'aborted'] as const;

export type OpenJobState = (typeof openJobStates)[number];
export type TerminalJobState = (typeof terminalJobStates)[number];
export type JobState = OpenJobState | TerminalJobState;

export function isTerminal(state: string): state is TerminalJobState {
  return terminalJobStates.some((terminal) => terminal === state);
}

/** The columns of a job that decide what may happen to it. */
export interface JobSituation {
  kind: JobKind;
  state: JobState;
  /** What the runner does now; null until it has said so. */
  phase: JobPhase | null;
  epoch: number;
  abortRequestedAt: number | null;
}

export type JobEvent =
  /** The hub of its host takes it: a new attempt. */
  | { type: 'claimed' }
  /** The runner does this now; a late one leaves the phase as it is, what else it says still counts. */
  | { type: 'phase-reported'; epoch: number; phase: JobPhase }
  /** The runner asks to move the traffic. */
  | { type: 'switch-requested'; epoch: number }
  | { type: 'result-reported'; epoch: number; outcome: TerminalJobState }
  /** The host can't be told to do it: its spec can't be built. */
  | { type: 'undispatchable' }
  /** The host has been away for too long. */
  | { type: 'runner-lost' }
  | { type: 'runner-revoked' }
  | { type: 'deadline-passed' }
  | { type: 'queue-timed-out' };

/** @returns the job after the event; null when the event changes nothing: it is late, of another attempt, or not allowed. */
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
      // From the commit point on the new version may be live: only the host knows, so no timer ends the job.
      return isActive(job) && !isCommitted(job) ? ended(job) : null;
    case 'runner-revoked':
      return isOpen(job) ? ended(job) : null;
    case 'queue-timed-out':
      return job.state === 'queued' ? ended(job) : null;
  }
}

/** The traffic has moved or is moving. */
function isCommitted(job: Pick<JobSituation, 'phase'>): boolean {
  return committedPhases.some((phase) => phase === job.phase);
}

/** What the platform ends by itself has failed, unless the user wanted its end anyway. */
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

/** `switch` and what follows are never reported into the row: the permission alone writes them. */
function isForward({ kind, phase: from }: JobSituation, to: JobPhase): boolean {
  if (isCommitted({ phase: from }) || isCommitted({ phase: to })) return false;
  const order: readonly JobPhase[] = jobPhases[kind];
  return order.includes(to) && (from === null || order.indexOf(to) > order.indexOf(from));
}
