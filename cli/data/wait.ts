/** Waits for backups, restores and imports, and shows their progress. */
import { setTimeout as pause } from 'node:timers/promises';
import { durationFlag } from '../base/duration.ts';
import { Failure } from '../base/failure.ts';
import { type Amount, createProgress } from '../base/progress.ts';
import { type FollowOptions, waitingFor } from '../deployments/follow.ts';
import { type CommandLine, patiently, type Session, switchFlag } from '../session.ts';

/** State of work on data, as the API reports it. */
export interface Work {
  status: 'running' | 'succeeded' | 'failed';
  progress: Amount | null;
  error: string | null;
}

/** Flags of commands that start work on data. */
export const workFlags = {
  wait: switchFlag('Wait for the end; the exit code tells how it ended'),
  timeout: durationFlag('Stop waiting after this time (exit code 4); the work continues'),
} as const;

export interface WorkFlags {
  wait: boolean;
  timeout?: number;
}

export const storages = ['disk', 'remote', 'disk+remote'] as const;
export type Storage = (typeof storages)[number];

/** Where copies of a backup are kept. */
export const storageFlag = (otherwise: string) =>
  ({
    kind: 'enum',
    values: storages,
    brief: `Where to keep the copy (default: ${otherwise})`,
    optional: true,
    placeholder: 'storage',
  }) as const;

/** Options for waiting for the work that a command started. @param comeBack the command that shows the work later */
export const waitOptions = (
  { process }: CommandLine,
  { timeout }: WorkFlags,
  { subject, comeBack }: Pick<FollowOptions, 'subject' | 'comeBack'>,
) => ({ process, timeoutSeconds: timeout, subject, comeBack });

/** Requests of a key are limited: poll often at first, for small databases, then less often. */
const firstPauseMs = 250;
const longestPauseMs = 2_000;

/**
 * Polls until the work has ended.
 * @returns the successful work
 * @throws Failure with exit code 1 (failed, with the reason), 4 (time limit) or 130 (Ctrl-C)
 */
export async function waitForWork<One extends Work>(
  session: Session,
  options: Omit<FollowOptions, 'write'>,
  read: () => Promise<One | undefined>,
): Promise<One> {
  const waiting = waitingFor(options);
  const progress = createProgress(session.streams);
  try {
    for (let wait = firstPauseMs; ; wait = Math.min(wait * 1.5, longestPauseMs)) {
      const work = await patiently(read, session.output, waiting.signal);
      waiting.signal.throwIfAborted();
      if (work === undefined) throw new Failure(`${options.subject} is gone.`, { code: 'not_found' });
      if (work.status === 'succeeded') {
        progress.end();
        session.output.progress(`${options.subject} has succeeded.`);
        return work;
      }
      if (work.status === 'failed')
        throw new Failure(`${options.subject} failed: ${work.error ?? 'no reason was reported.'}`);
      progress.show(options.subject, work.progress);
      await pause(wait, undefined, { signal: waiting.signal });
    }
  } catch (error) {
    throw waiting.reason() ?? error;
  } finally {
    progress.end();
    waiting.end();
  }
}
