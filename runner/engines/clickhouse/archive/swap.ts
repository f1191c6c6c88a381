/**
 * The swap: each live database gets a temporary name, the loaded one gets its name, and objects that refer to others by name are created.
 * ClickHouse can't do this in one step: between the first and the last rename a query may find no database, and until the last statement no
 * view. Every step may be repeated without harm, so a restart can finish the swap. A swap that can't be finished is undone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { DataPlace, RestoreNames } from '../../archive/archive.ts';
import { EngineError } from '../../engine-error.ts';
import { escapedName } from '../bound-value.ts';
import { readSteps, type Step, step, writeSteps } from './journal.ts';
import { createFirst, waysToMakeLater } from './make.ts';
import {
  databasesOf,
  dropDatabases,
  freshName,
  type Names,
  namesOf,
  oldName,
  renameDatabase,
  withoutDependencyChecks,
} from './names.ts';
import { makingSettings, qualified, quoted, type Server, withServer } from './server.ts';

/** The number of times that undoing a swap waits for a server that has just crashed. */
const backTries = 60;
const backEveryMs = 1_000;

/** @throws EngineError when the swap had to be undone */
export async function swap(server: Server, names: Names): Promise<void> {
  const steps = await readSteps(server, names.loading);
  await writeSteps(server, names.loading, await writingTables(server, databases(steps)));
  await renameDatabase(server, names.loading, names.swapping);
  await finish(server, names);
}

/** @see RestoreNames: the names show the progress of the swap */
export function recover(place: DataPlace, restore: RestoreNames): Promise<'swapped' | 'untouched'> {
  const names = namesOf(restore);
  return withServer(place, async (server) => {
    const found = await databasesOf(server);
    if (found.has(names.swapped)) return 'swapped';
    if (found.has(names.swapping)) {
      const isDone = await finish(server, names).then(
        () => true,
        () => false,
      );
      if (isDone) return 'swapped';
    }
    await dropDatabases(server, names.loading);
    return 'untouched';
  });
}

/** @see InPlaceArchive.discard */
export const discard = (place: DataPlace, restore: RestoreNames): Promise<void> =>
  withServer(place, (server) => dropDatabases(server, namesOf(restore).loading));

/** @see InPlaceArchive.removeOld */
export const removeOld = (place: DataPlace, restore: RestoreNames): Promise<void> =>
  withServer(place, (server) => dropDatabases(server, namesOf(restore).swapped));

async function finish(server: Server, names: Names): Promise<void> {
  try {
    await goForward(server, names);
  } catch (error) {
    for (let tries = 1; ; tries++) {
      try {
        await goBack(server, names);
        throw error;
      } catch (failure) {
        if (failure === error || tries === backTries) throw error;
        await delay(backEveryMs);
      }
    }
  }
}

async function goForward(server: Server, names: Names): Promise<void> {
  const steps = await readSteps(server, names.swapping);
  for (const { database, place } of databases(steps))
    await swapDatabase(server, names, steps, { live: database, n: place });
  const settings = await makingSettings(server);
  for (const { statement } of stepsOf(steps, 'make'))
    await createFirst(server, waysToMakeLater(statement), settings);
  for (const { database, name } of stepsOf(steps, 'merge'))
    await server.ask(`SYSTEM START MERGES ${qualified(database, name)}`);
  await renameDatabase(server, names.swapping, names.swapped);
}

async function swapDatabase(
  server: Server,
  names: Names,
  steps: Step[],
  { live, n }: { live: string; n: number },
): Promise<void> {
  const [fresh, old] = [freshName(names, n), oldName(names, n)];
  const found = await databasesOf(server);
  if (!found.has(fresh)) return;
  if (found.has(live) && found.has(old)) await dropEmpty(server, live);
  else if (found.has(live)) {
    for (const { name } of stepsOf(steps, 'detach').filter(({ database }) => database === live))
      await detach(server, live, name);
    await renameDatabase(server, live, old);
  }
  await renameDatabase(server, fresh, live);
}

async function goBack(server: Server, names: Names): Promise<void> {
  const steps = await readSteps(server, names.swapping);
  for (const { database: live, place: n } of databases(steps)) {
    const [fresh, old] = [freshName(names, n), oldName(names, n)];
    const found = await databasesOf(server);
    if (!found.has(fresh)) {
      for (const { name } of await writingTables(server, [{ database: live }]))
        await server.ask(`DROP TABLE IF EXISTS ${qualified(live, name)} SYNC`);
      await renameDatabase(server, live, fresh);
      found.delete(live);
    }
    if (found.has(old)) {
      if (found.has(live)) await dropEmpty(server, live);
      await renameDatabase(server, old, live);
    }
    for (const { name } of stepsOf(steps, 'detach').filter(({ database }) => database === live))
      await server.ask(`ATTACH TABLE IF NOT EXISTS ${qualified(live, name)}`);
  }
  await renameDatabase(server, names.swapping, names.loading);
}

/** Tables that read or write other tables by name. Once their database is renamed, they would use the restored tables instead. */
async function writingTables(server: Server, of: Pick<Step, 'database'>[]): Promise<Step[]> {
  if (of.length === 0) return [];
  const rows = await server.ask(
    `SELECT database, name FROM system.tables WHERE database IN (${of.map(({ database }) => quoted(database)).join(', ')})
      AND engine IN ('MaterializedView', 'WindowView', 'LiveView', 'Buffer') ORDER BY database, name`,
  );
  return rows.map(([database, name]) => step('detach', { database: String(database), name: String(name) }));
}

async function detach(server: Server, database: string, name: string): Promise<void> {
  await server.ask(`DETACH TABLE IF EXISTS ${qualified(database, name)} PERMANENTLY SYNC`, {
    settings: withoutDependencyChecks,
  });
}

/** A starting server creates the database named in its environment. @throws EngineError when the database is no longer empty */
async function dropEmpty(server: Server, database: string): Promise<void> {
  const [[tables] = []] = await server.ask(
    `SELECT count() FROM system.tables WHERE database = ${quoted(database)}`,
  );
  if (Number(tables) > 0)
    throw new EngineError(
      'conflict',
      `A client created tables in ${database} while the restore replaced this database.`,
    );
  await server.ask(`DROP DATABASE ${escapedName(database)} SYNC`);
}

const stepsOf = (steps: Step[], kind: Step['kind']) => steps.filter((one) => one.kind === kind);
const databases = (steps: Step[]) => stepsOf(steps, 'database');
