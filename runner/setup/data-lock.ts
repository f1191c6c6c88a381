/**
 * Allows one runner per data directory. The lock is an exclusive transaction on `<data>/lock.db`, held open for the life of the process.
 * SQLite's fcntl lock is released by the kernel at any end of the process, so a stale lock never has to be detected by pid and start time.
 * Unlike flock's, it is not inherited by edge and Caddy, which outlive the runner.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RunnerError } from '../base/runner-error.ts';

export interface DataLock {
  release(): void;
}

/** @throws RunnerError `already_running` while another process has it */
export function lockDataDirectory(dataDirectory: string): DataLock {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const pidFile = join(dataDirectory, 'runner.pid');
  const database = new DatabaseSync(join(dataDirectory, 'lock.db'), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    if (!isBusy(cause)) throw cause;
    throw new RunnerError(
      'already_running',
      `Another runner${ownerOf(pidFile)} uses ${dataDirectory}: stop that one first.`,
      { cause },
    );
  }
  // Only used in the error message above; the lock does not depend on it.
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  return { release: () => database.close() };
}

/** True if a runner uses the data directory now. */
export function isDataDirectoryLocked(dataDirectory: string): boolean {
  const file = join(dataDirectory, 'lock.db');
  if (!existsSync(file)) return false;
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

/** SQLITE_BUSY and SQLITE_LOCKED: https://www.sqlite.org/rescode.html */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode === 5 || error.errcode === 6);
}

function ownerOf(pidFile: string): string {
  try {
    return ` (process ${readFileSync(pidFile, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
