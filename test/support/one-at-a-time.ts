/** Ensures that only one process at a time does a piece of work. */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const turnTimeoutMs = 300_000;
const askAgainMs = 100;
/** SQLITE_BUSY: https://www.sqlite.org/rescode.html#busy */
const busy = 5;

/**
 * Runs the work when no other process, and no other call in this process, is working under the same lock. If a process dies, the kernel releases
 * its lock.
 * @param lock a file that is used for nothing else
 * @throws the error of the work; Error if this call does not get the lock within five minutes
 */
export async function oneAtATime<Result>(lock: string, work: () => Promise<Result>): Promise<Result> {
  const database = new DatabaseSync(lock);
  try {
    const until = performance.now() + turnTimeoutMs;
    while (!begun(database)) {
      if (performance.now() > until) throw new Error(`Another process holds ${lock}.`);
      await sleep(askAgainMs);
    }
    return await work();
  } finally {
    database.close();
  }
}

function begun(database: DatabaseSync): boolean {
  try {
    database.exec('begin exclusive');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return false;
    throw error;
  }
}
