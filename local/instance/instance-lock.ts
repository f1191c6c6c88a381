/**
 * Allows one start per data directory. `<data>/lock` contains the ids of its processes; when they are dead, another start may take over the
 * lock. Reading, checking and writing happen in one exclusive SQLite transaction on a file beside it. The kernel releases that when its
 * holder dies.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { StartError } from '../start-error.ts';
import { type HeldLock, heldLock, type LockRecord, lockFile, writeLock } from './lock-file.ts';
import { endProcess, isAlive, mustIdentify, type ProcessIdentity } from './process-identity.ts';
import { stopCommand } from './shell-command.ts';

const identitySchema = z.object({ pid: z.number().int(), startTime: z.string() });

const lockSchema: z.ZodType<LockRecord> = z.object({
  node: identitySchema,
  workerd: z.array(identitySchema),
  runner: identitySchema.nullable(),
});

/** The critical section takes milliseconds, or a few seconds when it ends an orphan. */
const guardTimeoutMs = 15_000;
/** workerd exits at once; a runner gets time to stop its jobs. */
const orphanGraceMs = { workerd: 2_000, runner: 10_000 };

/**
 * Takes the lock. First ends the leftover children of a killed start, and no other process.
 * @param owner the process that holds the lock; another process than this one updates and releases it through {@link heldLock}
 * @throws StartError `already_running`
 */
export async function takeLock(directory: string, owner: number = process.pid): Promise<HeldLock> {
  return guarded(directory, async () => {
    const held = readLock(directory);
    if (held !== undefined && isAlive(held.node)) {
      throw new StartError(
        'already_running',
        `Longshore already runs on ${directory} (process ${held.node.pid}).`,
        { command: stopCommand(directory) },
      );
    }
    if (held !== undefined) await endOrphans(held);
    writeLock(directory, { node: mustIdentify(owner), workerd: [], runner: null });
    return heldLock(directory);
  });
}

/** The record of a start, whether it is alive or dead; undefined when there is none. */
export function readLock(directory: string): LockRecord | undefined {
  try {
    return lockSchema.parse(JSON.parse(readFileSync(lockFile(directory), 'utf8')));
  } catch {
    // The file is missing. It is never half-written, since it is replaced by a rename.
    return undefined;
  }
}

/** Ends the leftover processes of a dead start and deletes its record. @returns how many processes were ended. */
export async function clearDeadLock(directory: string): Promise<number> {
  return guarded(directory, async () => {
    const held = readLock(directory);
    if (held === undefined || isAlive(held.node)) return 0;
    const ended = await endOrphans(held);
    rmSync(lockFile(directory), { force: true });
    return ended;
  });
}

async function endOrphans(dead: LockRecord): Promise<number> {
  const orphans: [ProcessIdentity, number][] = [
    ...(dead.runner === null ? [] : [[dead.runner, orphanGraceMs.runner] as [ProcessIdentity, number]]),
    ...dead.workerd.map((one): [ProcessIdentity, number] => [one, orphanGraceMs.workerd]),
  ];
  const living = orphans.filter(([identity]) => isAlive(identity));
  const ended = await Promise.all(living.map(([identity, graceMs]) => endProcess(identity, graceMs)));
  if (ended.includes(false)) {
    const pids = living.map(([identity]) => identity.pid).join(', ');
    throw new StartError(
      'already_running',
      `A process that an earlier run left on this data directory does not exit: ${pids}.`,
      {
        command: `kill -9 ${pids.replaceAll(',', '')}`,
      },
    );
  }
  return living.length;
}

async function guarded<Result>(directory: string, act: () => Promise<Result>): Promise<Result> {
  const guard = new DatabaseSync(join(directory, 'lock.guard'));
  try {
    guard.exec(`PRAGMA busy_timeout = ${guardTimeoutMs}; BEGIN EXCLUSIVE`);
    return await act();
  } finally {
    guard.close();
  }
}
