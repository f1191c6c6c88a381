/** Starts the daemon. While a problem of the host prevents it, the reason is reported to the control plane, and the start is retried. */
import { randomUUID } from 'node:crypto';
import { pause, systemClock } from './base/clock.ts';
import { messageOf } from './base/logger.ts';
import { RunnerError } from './base/runner-error.ts';
import { type Daemon, type DaemonOptions, startDaemon } from './daemon.ts';
import { reportTrouble, type TroubleReport } from './report-trouble.ts';

/** The interval of tries: a released port, or a disk with free space again, is noticed this soon. */
export const startAgainMs = 10_000;

/**
 * @returns once the daemon runs
 * @throws RunnerError for problems other than the host's: the settings, the keys, or another process with the data directory
 */
export async function startOncePossible(
  given: Omit<DaemonOptions, 'bootId' | 'beforeConnecting'>,
): Promise<Daemon> {
  // All connections of this process have one id: two would be two processes for the control plane, and the later would end the other.
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

/** True for an error caused by the host. A journal can't be opened on a full disk, for example. */
const isOfHost = (error: unknown) => !(error instanceof RunnerError) || error.code === 'journal_unusable';

function sentenceOf(error: unknown): string {
  const message = messageOf(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // ENOSPC is also the error of a host that allows no more file watches.
  const isOfDisk = error instanceof Error && !('syscall' in error && error.syscall === 'watch');
  if ((isOfDisk && ['ENOSPC', 'EDQUOT'].includes(code)) || message.includes('disk is full'))
    return `The disk is full: free some space. (${message})`;
  if (code === 'EROFS')
    return `The file system of the data directory can't be written to: mount it again, or repair it. (${message})`;
  // The runner's own errors are sentences.
  if (error instanceof Error && ['ProxyError', 'RunnerError'].includes(error.name)) return message;
  return `The runner can't start (${message}). Its log says more: journalctl -u longshore-runner -n 50.`;
}
