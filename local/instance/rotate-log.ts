/** Logs only grow. At a start, a large log is renamed, and one older file is kept. Only their owner may read both. */
import { chmodSync, existsSync, renameSync, statSync } from 'node:fs';

const logBytesMax = 10 * 1024 * 1024;

export function rotateLog(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const older = `${path}.1`;
  if (size > logBytesMax) renameSync(path, older);
  for (const log of [path, older]) if (existsSync(log)) chmodSync(log, 0o600);
}
