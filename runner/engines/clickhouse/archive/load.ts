/** Loads a backup into new databases beside the live ones. Objects that refer to others by name are created after the swap. */
import { randomUUID } from 'node:crypto';
import type { ArchiveFile, DataPlace, LoadedData, RestoreNames } from '../../archive/archive.ts';
import { readWithProgress } from '../../archive/read-with-progress.ts';
import { retryCleanup } from '../../archive/retry-cleanup.ts';
import { EngineError } from '../../engine-error.ts';
import { escapedName } from '../bound-value.ts';
import { isMergeTree } from '../local-engines.ts';
import { beginJournal, step, writeSteps } from './journal.ts';
import { createFirst, laterStatements, waysToMakeTable } from './make.ts';
import { type Manifest, nowhere, type SavedObject, type SavedTable, tablesOf } from './manifest.ts';
import { dropDatabases, dropLeftOver, freshName, type Names, namesOf } from './names.ts';
import { makingSettings, qualified, type Server, withServer } from './server.ts';
import { swap } from './swap.ts';
import { type Visitor, walk } from './walk.ts';

/** The server reads every row as in a restore, but stores nothing. */
export function check(place: DataPlace, file: ArchiveFile): Promise<void> {
  return withServer(place, async (server) => {
    const settings = await makingSettings(server);
    await walk(file.open(), {
      table: ({ columns }, _place, rows) =>
        server.write(`INSERT INTO ${nowhere(columns)} FORMAT Native`, rows, settings),
    });
  });
}

/** A table and the database that it is loaded into. */
interface LoadedTable {
  table: SavedTable;
  database: string;
}

export const load = (place: DataPlace, file: ArchiveFile, options: RestoreNames): Promise<LoadedData> =>
  loadFrom(place, options, (visitor) => walk(readWithProgress(file, place), visitor));

/** @param give passes the data to load to the visitor: the manifest, then the rows of each of its tables */
export async function loadFrom(
  place: DataPlace,
  options: RestoreNames,
  give: (visitor: Required<Visitor>) => Promise<void>,
): Promise<LoadedData> {
  const names = namesOf(options);
  const discard = () =>
    retryCleanup(
      () => withServer(unstopped(place), (server) => dropDatabases(server, names.loading)),
      place.signal,
    );
  let loaded: LoadedTable[] = [];
  try {
    await withServer(place, async (server) => {
      await dropLeftOver(server);
      await give({
        async manifest(manifest) {
          loaded = await prepare(server, names, manifest);
        },
        table: (_table, at, rows) => fill(server, loaded[at], rows),
      });
    });
  } catch (error) {
    await discard().catch(() => {});
    throw error;
  }
  return {
    contents: () => withServer(place, (server) => count(server, loaded)),
    // Once the swap is permitted, nothing stops it.
    swap: () => withServer(unstopped(place), (server) => swap(server, names)),
    discard,
  };
}

async function prepare(server: Server, names: Names, manifest: Manifest): Promise<LoadedTable[]> {
  const objects = withNewIds(manifest.objects);
  const databases = [...new Set(objects.map(({ database }) => database))].map((live, at) => ({
    live,
    fresh: freshName(names, at + 1),
  }));
  await refuseUnmovable(
    server,
    databases.map(({ live }) => live),
  );
  await beginJournal(server, names.loading);
  for (const { fresh } of databases)
    await server.ask(`CREATE DATABASE ${escapedName(fresh)} ENGINE = Atomic`);
  const freshOf = new Map(databases.map(({ live, fresh }) => [live, fresh]));
  const settings = await makingSettings(server);
  const loaded = tablesOf(objects).map((table) => ({ table, database: freshOf.get(table.database) ?? '' }));
  for (const { table, database } of loaded)
    await createFirst(
      server,
      waysToMakeTable({ ...table, statement: placedIn(database, table.statement) }),
      settings,
    );
  const merging = loaded.filter(({ table }) => changesWhenMerged(table));
  for (const { table, database } of merging)
    await server.ask(`SYSTEM STOP MERGES ${qualified(database, table.name)}`);
  await writeSteps(server, names.loading, [
    ...databases.map(({ live }, at) => step('database', { place: at + 1, database: live })),
    ...merging.map(({ table: { database, name } }) => step('merge', { database, name })),
    ...laterStatements(manifest.functions, objects).map((statement, place) =>
      step('make', { place, statement }),
    ),
  ]);
  return loaded;
}

async function fill(
  server: Server,
  target: LoadedTable | undefined,
  rows: AsyncIterable<Buffer>,
): Promise<number> {
  if (!target)
    throw new EngineError(
      'unavailable',
      'The file contains rows of a table that its manifest does not list.',
    );
  const { columns, name } = target.table;
  const list = columns.map((column) => escapedName(column.name)).join(', ');
  return server.write(`INSERT INTO ${qualified(target.database, name)} (${list}) FORMAT Native`, rows);
}

async function count(server: Server, loaded: LoadedTable[]) {
  let rows = 0;
  for (const { database, table } of loaded) {
    // The number that a Join table stores is that of its keys.
    const whole = table.engine === 'Join' ? ' SETTINGS optimize_trivial_count_query = 0' : '';
    const [[found] = []] = await server.ask(`SELECT count() FROM ${qualified(database, table.name)}${whole}`);
    rows += Number(found);
  }
  return { tables: loaded.length, rows };
}

/** The live objects keep their UUIDs. The objects of the backup keep their links to each other, including the names of inner tables. */
function withNewIds(objects: SavedObject[]): SavedObject[] {
  const ids = new Map(objects.map(({ uuid }) => [uuid, randomUUID() as string]));
  const renewed = (text: string) =>
    text.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => ids.get(id) ?? id);
  return objects.map((object) => ({
    ...object,
    name: renewed(object.name),
    statement: renewed(object.statement),
  }));
}

/**
 * Puts `CREATE TABLE app.t ...` into another database. The other names in the statement stay, because the database gets the original name
 * later.
 */
const placedIn = (database: string, statement: string) =>
  statement.replace(
    /^CREATE TABLE (?:`(?:\\.|[^`\\])*`|\w+)\./s,
    () => `CREATE TABLE ${escapedName(database)}.`,
  );

/** Merges remove rows from these tables, so the rows are counted before merges run. */
const changesWhenMerged = ({ engine, statement }: SavedTable) =>
  isMergeTree(engine) && (engine !== 'MergeTree' || /\bTTL\b/.test(statement));

/** @throws EngineError */
async function refuseUnmovable(server: Server, databases: string[]): Promise<void> {
  const rows = await server.ask('SELECT name, engine FROM system.databases');
  for (const [name, engine] of rows) {
    if (!databases.includes(String(name)) || engine === 'Atomic') continue;
    throw new EngineError(
      'unsupported',
      `The database ${name} of this server has the engine ${engine} and can't be renamed: drop it, and restore again.`,
    );
  }
}

const unstopped = (place: DataPlace): DataPlace => ({ ...place, signal: new AbortController().signal });
