/** Logs are appended to for ever; one that has grown big is set aside at a start, one older file is kept. */
import { renameSync, statSync } from 'node:fs';

const logBytesMax = 10 * 1024 * 1024;

export function rotateLog(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > logBytesMax) renameSync(path, `${path}.1`);
}
