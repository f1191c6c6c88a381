/** The lock's file as its holder updates it, without the modules that are needed to take the lock (instance-lock.ts). */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustIdentify, type ProcessIdentity } from './process-identity.ts';

export interface LockRecord {
  /** The process that stays as long as the instance runs. */
  node: ProcessIdentity;
  /** Its child processes, which survive its SIGKILL. */
  workerd: ProcessIdentity[];
  runner: ProcessIdentity | null;
}

export interface HeldLock {
  /** Records the current child processes of this start. */
  update(children: Partial<Pick<LockRecord, 'workerd' | 'runner'>>): void;
  /** Does nothing if another process holds the lock. */
  release(): void;
}

export const lockFile = (directory: string) => join(directory, 'lock');

/** The lock of this process, already taken or about to be taken for it. */
export function heldLock(directory: string): HeldLock {
  const own: LockRecord = { node: mustIdentify(process.pid), workerd: [], runner: null };
  return {
    update(children) {
      Object.assign(own, children);
      writeLock(directory, own);
    },
    release() {
      if (isHeldBy(directory, own.node)) rmSync(lockFile(directory), { force: true });
    },
  };
}

export function writeLock(directory: string, record: LockRecord): void {
  const path = lockFile(directory);
  writeFileSync(`${path}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function isHeldBy(directory: string, { pid, startTime }: ProcessIdentity): boolean {
  try {
    const { node } = JSON.parse(readFileSync(lockFile(directory), 'utf8')) as Partial<LockRecord>;
    return node?.pid === pid && node.startTime === startTime;
  } catch {
    return false; // there is no file
  }
}
