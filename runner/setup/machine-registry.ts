/**
 * The runners of this machine, so that each gets separate ports, even if the others are not running. The list has only data directories. A
 * runner's ports are in its own settings; a runner without settings no longer exists. An enrolment keeps the list locked until its settings
 * are written, so that another one at the same time sees them. The kernel releases the lock at any end of the process, like the data lock.
 */
import { chmodSync, mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RunnerError } from '../base/runner-error.ts';
import type { RunnerConfig } from './config.ts';
import { isEnrolled, readConfig } from './config-file.ts';
import { isBusy, isDataDirectoryLocked } from './data-lock.ts';

const lockPollMs = 50;

/** Another runner of this machine. */
export interface Neighbour {
  dataDirectory: string;
  blocks: Pick<RunnerConfig, 'webPorts' | 'databasePorts'>;
  isRunning: boolean;
}

export interface MachineRegistry {
  /** Reads the settings of the other runners, and forgets those without settings. The last one added is last. */
  neighbours(dataDirectory: string): Neighbour[];
  /** Adds the runner at each enrolment and start; an existing one becomes the last. Takes effect when the registry is closed. */
  add(dataDirectory: string): void;
  /** Stores the added runners and unlocks. */
  close(): void;
}

/** The directory of the XDG base directory specification; runners of different users do not see each other. */
const registryDirectory = (env: NodeJS.ProcessEnv = process.env): string =>
  join(
    env.XDG_STATE_HOME || (process.getuid?.() === 0 ? '/var/lib' : join(homedir(), '.local/state')),
    'longshore',
  );

/**
 * Opens and locks the list.
 * @param waitMs the time limit for another process
 * @returns `undefined` if this user can't write the list, or it is damaged: then runners do without it
 * @throws RunnerError `already_running` if another enrolment does not end
 */
export async function openMachineRegistry(waitMs: number): Promise<MachineRegistry | undefined> {
  const database = openDatabase();
  if (!database) return undefined;
  const endsAt = performance.now() + waitMs;
  for (;;) {
    const state = tryLock(database);
    if (state === 'locked') return registryIn(database);
    if (state === 'damaged') return undefined;
    if (performance.now() > endsAt) {
      database.close();
      throw new RunnerError(
        'already_running',
        'Another runner is being enrolled on this machine: wait until that ends, then try again.',
      );
    }
    await new Promise((resolve) => setTimeout(resolve, lockPollMs));
  }
}

function openDatabase(): DatabaseSync | undefined {
  const directory = registryDirectory();
  try {
    mkdirSync(directory, { recursive: true });
    const file = join(directory, 'runners.db');
    const database = new DatabaseSync(file, { timeout: 0 });
    chmodSync(file, 0o600);
    return database;
  } catch {
    return undefined;
  }
}

function tryLock(database: DatabaseSync): 'locked' | 'busy' | 'damaged' {
  try {
    database.exec('BEGIN EXCLUSIVE');
    database.exec('CREATE TABLE IF NOT EXISTS runners (data_directory TEXT PRIMARY KEY) STRICT');
    return 'locked';
  } catch (error) {
    if (isBusy(error)) return 'busy';
    database.close();
    return 'damaged';
  }
}

function registryIn(database: DatabaseSync): MachineRegistry {
  return {
    neighbours(dataDirectory) {
      const own = pathOf(dataDirectory);
      const rows = database.prepare('SELECT data_directory AS path FROM runners ORDER BY rowid').all();
      return rows.flatMap(({ path }) => {
        const known = String(path);
        if (known === own) return [];
        if (isEnrolled(known)) return neighbourIn(known);
        database.prepare('DELETE FROM runners WHERE data_directory = ?').run(known);
        return [];
      });
    },
    add(dataDirectory) {
      database.prepare('INSERT OR REPLACE INTO runners VALUES (?)').run(pathOf(dataDirectory));
    },
    close() {
      database.exec('COMMIT');
      database.close();
    },
  };
}

/** Empty if its settings can't be read. */
function neighbourIn(dataDirectory: string): Neighbour[] {
  try {
    const { webPorts, databasePorts } = readConfig(dataDirectory, {});
    const isRunning = isDataDirectoryLocked(dataDirectory);
    return [{ dataDirectory, blocks: { webPorts, databasePorts }, isRunning }];
  } catch {
    return [];
  }
}

/** The same directory under two names is one runner. */
function pathOf(dataDirectory: string): string {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  return realpathSync(dataDirectory);
}
