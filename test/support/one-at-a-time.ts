/** Lets one process at a time do a piece of work. */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const turnTimeoutMs = 300_000;
const askAgainMs = 100;
/** SQLITE_BUSY: https://www.sqlite.org/rescode.html#busy */
const busy = 5;

/**
 * Runs the work when no other process, and no other call in this one, is at work under the same lock. The kernel releases the lock of a
 * process that dies.
 * @param lock a file of nothing else
 * @throws what the work throws; Error when it is not this call's turn within five minutes
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
