/** A lock between processes: a file that only one of them can create. */
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../base/failure.ts';

/** Longer than anybody works under the lock: its process was killed. */
const lostMs = 30_000;
const waitMs = 35_000;
const pollMs = 50;

/** Runs the work while no other process does. @throws Failure if another process holds the lock for too long */
export async function underLock<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const until = Date.now() + waitMs;
  while (!(await isTaken(path))) {
    if (Date.now() > until)
      throw new Failure(`Another command of longshore uses ${path}. If none runs, remove this file.`);
    await pause(pollMs);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/** @returns whether this process has the lock now */
async function isTaken(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new Failure(`${path} cannot be written: ${(error as Error).message}`);
  }
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  if (age > lostMs) await rm(path, { force: true });
  return false;
}
