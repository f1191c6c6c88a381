/**
 * Allows one start per data directory. `<data>/lock` names the processes that use it; when they are dead, another start may take it over.
 * Reading, checking and writing happen in one exclusive SQLite transaction on a file beside it. The kernel releases it when its holder
 * dies.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { StartError } from '../start-error.ts';
import { endProcess, isAlive, mustIdentify, type ProcessIdentity } from './process-identity.ts';
import { stopCommand } from './shell-command.ts';

const identitySchema = z.object({ pid: z.number().int(), startTime: z.string() });

const lockSchema = z.object({
  /** The start's own Node process. */
  node: identitySchema,
  /** Its child processes, which survive a kill -9 of the start. */
  workerd: z.array(identitySchema),
  runner: identitySchema.nullable(),
});

export type LockRecord = z.infer<typeof lockSchema>;

/** The critical section takes milliseconds, or a few seconds when it ends an orphan. */
const guardTimeoutMs = 15_000;
/** workerd exits at once; a runner gets time to stop its jobs. */
const orphanGraceMs = { workerd: 2_000, runner: 10_000 };

export interface InstanceLock {
  /** Records the current child processes of this start. */
  update(children: Partial<Pick<LockRecord, 'workerd' | 'runner'>>): void;
  release(): void;
}

/**
 * Takes the lock for this process. First ends the leftover children of a killed start, and no other process.
 * @throws StartError `already_running`
 */
export async function takeLock(directory: string): Promise<InstanceLock> {
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
    const own: LockRecord = { node: mustIdentify(process.pid), workerd: [], runner: null };
    writeLock(directory, own);
    return {
      update(children) {
        Object.assign(own, children);
        writeLock(directory, own);
      },
      release: () => releaseLock(directory, own.node),
    };
  });
}

/** The record of a start, whether it is alive or dead; undefined when there is none. */
export function readLock(directory: string): LockRecord | undefined {
  try {
    return lockSchema.parse(JSON.parse(readFileSync(join(directory, 'lock'), 'utf8')));
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
    rmSync(join(directory, 'lock'), { force: true });
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

function writeLock(directory: string, record: LockRecord): void {
  const path = join(directory, 'lock');
  writeFileSync(`${path}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function releaseLock(directory: string, owner: ProcessIdentity): void {
  const held = readLock(directory);
  if (held?.node.pid === owner.pid && held.node.startTime === owner.startTime) {
    rmSync(join(directory, 'lock'), { force: true });
  }
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
