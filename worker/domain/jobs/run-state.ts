/** Commands that run once: their states and bounds. */
import { z } from 'zod';
import { commandContainers } from '../../../protocol/job-spec.ts';
import { notes } from '../values/field-notes.ts';

export const openRunStates = ['queued', 'running'] as const;
export const runStates = [...openRunStates, 'succeeded', 'failed', 'aborted'] as const;
export type RunState = (typeof runStates)[number];

export const isOpenRun = (status: RunState): boolean => openRunStates.some((open) => open === status);

/** Longer than a migration or an export usually takes. */
export const runTimeDefaultSeconds = 3_600;
/** Below the limit of a data job, so that the host always reports the timeout first. */
const runTimeMaxSeconds = 5 * 3_600;
const runCommandMax = 4_096;
export const commandSchema = z
  .string()
  .trim()
  .min(1, 'must not be empty: give a line for the shell of the image, such as "npm run migrate"')
  .max(runCommandMax, `is too long: at most ${runCommandMax} characters`)
  .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must be text without NUL characters');
export const timeLimitSchema = z
  .int()
  .min(1, 'must be at least 1 second')
  .max(runTimeMaxSeconds, `must be at most ${runTimeMaxSeconds} seconds`);

export const commandContainerSchema = z.enum(commandContainers).meta(notes.commandContainer);

/** Per service at a time: each run may use as much memory as the service. */
export const openRunsMax = 5;

/** The end of a run's log; null until the run has ended. */
export function runLogEnd(run: { status: RunState; error: string | null }, isReported: boolean) {
  if (isOpenRun(run.status)) return null;
  const ok = run.status === 'succeeded';
  // The runner's own lines already contain the outcome.
  return isReported || run.error === null ? { ok } : { ok, line: run.error };
}
