/** Rotates logs, which only grow: at a start, a large log is renamed, and one older file is kept. Only their owner may read both. */
import { appendFileSync, chmodSync, existsSync, renameSync, statSync } from 'node:fs';

const logBytesMax = 10 * 1024 * 1024;

export function rotateLog(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const older = `${path}.1`;
  if (size > logBytesMax) renameSync(path, older);
  for (const log of [path, older]) if (existsSync(log)) chmodSync(log, 0o600);
}

/**
 * The control plane's log file. A line that can't be written, as on a full disk, is lost: the control plane must not end because of it.
 */
export function writeLog(path: string, text: string): void {
  try {
    appendFileSync(path, `${new Date().toISOString()} ${text}\n`, { mode: 0o600 });
  } catch {}
}
