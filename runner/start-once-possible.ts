/** Starts the daemon. While something of the host prevents it, the control plane hears why, and it is tried again. */
import { randomUUID } from 'node:crypto';
import { pause, systemClock } from './base/clock.ts';
import { messageOf } from './base/logger.ts';
import { RunnerError } from './base/runner-error.ts';
import { type Daemon, type DaemonOptions, startDaemon } from './daemon.ts';
import { reportTrouble, type TroubleReport } from './report-trouble.ts';

/** How soon a port that was let go, or a disk that has room again, is noticed. */
export const startAgainMs = 10_000;

/**
 * @returns once it runs
 * @throws RunnerError for what the host has no part in: its settings, its keys, or another process with its data directory
 */
export async function startOncePossible(
  given: Omit<DaemonOptions, 'bootId' | 'beforeConnecting'>,
): Promise<Daemon> {
  // One id for all connections of this process: two would be two processes to the control plane, and the later one would end the other.
  const options = { ...given, bootId: randomUUID(), beforeConnecting: () => report?.close() };
  const { clock = systemClock, logger } = options;
  let report: TroubleReport | undefined;
  for (;;) {
    try {
      return await startDaemon(options);
    } catch (error) {
      if (!isOfHost(error)) throw error;
      const sentence = sentenceOf(error);
      if (report?.sentence !== sentence)
        logger.error(`the runner can't start, and tries again every ${startAgainMs / 1_000} s: ${sentence}`);
      report ??= reportTrouble({ ...options, clock }, sentence);
      report.say(sentence);
      await pause(clock, startAgainMs);
    }
  }
}

/** A journal can't be opened on a full disk, for example. */
const isOfHost = (error: unknown) => !(error instanceof RunnerError) || error.code === 'journal_unusable';

function sentenceOf(error: unknown): string {
  const message = messageOf(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // A host that allows no more file watches answers ENOSPC, too.
  const isOfDisk = error instanceof Error && !('syscall' in error && error.syscall === 'watch');
  if ((isOfDisk && ['ENOSPC', 'EDQUOT'].includes(code)) || message.includes('disk is full'))
    return `The disk is full: free some space. (${message})`;
  if (code === 'EROFS')
    return `The file system of the data directory can't be written to: mount it again, or repair it. (${message})`;
  // The runner's own errors are sentences.
  if (error instanceof Error && ['ProxyError', 'RunnerError'].includes(error.name)) return message;
  return `The runner can't start (${message}). Its log says more: journalctl -u longshore-runner -n 50.`;
}
