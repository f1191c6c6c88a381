/** What a backup says of itself: the first entry of its tar. The statements are the server's own. */
import { z } from 'zod';
import { EngineError } from '../../engine-error.ts';
import type { Json } from '../../row.ts';
import { escapedName } from '../bound-value.ts';
import { qualified, quoted, type Server } from './server.ts';

export const manifestName = 'manifest.json';
/** The last entry: the rows of each table that has any, in the order of the manifest. */
export const countsName = 'counts.json';
export const countsSchema = z.object({ rows: z.array(z.number().int().nonnegative()) });
const format = 'longshore-clickhouse-1';

const objectSchema = z.object({
  database: z.string(),
  name: z.string(),
  engine: z.string(),
  uuid: z.string(),
  /** How it was made, with its UUID: a materialized view is tied to its inner table by theirs. */
  statement: z.string(),
  /** Of what is saved with its rows. ALIAS and EPHEMERAL hold none. */
  columns: z.array(z.object({ name: z.string(), type: z.string() })).nullable(),
});
export type SavedObject = z.infer<typeof objectSchema>;
export type SavedTable = SavedObject & { columns: NonNullable<SavedObject['columns']> };

export const manifestSchema = z.object({
  format: z.literal(format),
  server: z.string(),
  /** `CREATE FUNCTION` of the users. */
  functions: z.array(z.string()),
  objects: z.array(objectSchema),
});
export type Manifest = z.infer<typeof manifestSchema>;

export const tablesOf = (objects: SavedObject[]) =>
  objects.filter((object): object is SavedTable => object.columns !== null);

/** What reads like a name of ours is a restore's, and no data of the users. */
export const isOwnDatabase = (name: string) => /^longshore_(?:restore|swap|before)_/.test(name);

/** Engines that hold rows of their own and can be read. A Set can't, a Buffer reads what it is in front of. */
const holdsRows = /MergeTree$|^(?:Log|TinyLog|StripeLog|Memory|Join|EmbeddedRocksDB)$/;
/** Those that can be renamed. */
const savedDatabase = 'Atomic';

/**
 * @param only this database, of whatever engine
 * @throws EngineError when a table lies where it could not be restored
 */
export async function readManifest(server: Pick<Server, 'ask'>, only?: string): Promise<Manifest> {
  const [[version] = []] = await server.ask('SELECT version()');
  const functions = await server.ask(
    "SELECT create_query FROM system.functions WHERE origin = 'SQLUserDefined' ORDER BY name",
  );
  const columns = await columnsByTable(server);
  const rows = await server.ask(
    `SELECT t.database, d.engine, t.name, t.engine, toString(t.uuid), t.create_table_query
      FROM system.tables AS t JOIN system.databases AS d ON d.name = t.database
      WHERE lower(t.database) NOT IN ('system', 'information_schema') AND NOT t.is_temporary ORDER BY t.database, t.name`,
    { settings: { show_table_uuid_in_table_create_query_if_not_nil: 1 } },
  );
  const saved = rows.filter((row) => (only === undefined ? isSaved(row) : row[0] === only));
  const objects = saved.map(([database, , name, engine, uuid, statement]) => ({
    database: String(database),
    name: String(name),
    engine: String(engine),
    uuid: String(uuid),
    statement: String(statement),
    columns: holdsRows.test(String(engine))
      ? (columns.get(qualified(String(database), String(name))) ?? [])
      : null,
  }));
  return { format, server: String(version), functions: functions.map(([text]) => String(text)), objects };
}

function isSaved([database, databaseEngine, name, engine]: Json[]): boolean {
  if (isOwnDatabase(String(database))) return false;
  if (databaseEngine === savedDatabase) return true;
  if (!holdsRows.test(String(engine))) return false;
  throw new EngineError(
    'unsupported',
    `The database ${database} has the engine ${databaseEngine}, which can't be restored: move its table ${name} to another database.`,
  );
}

async function columnsByTable(server: Pick<Server, 'ask'>): Promise<Map<string, SavedTable['columns']>> {
  const rows = await server.ask(
    `SELECT database, table, groupArray((name, type)) FROM (SELECT database, table, name, type FROM system.columns
      WHERE default_kind NOT IN ('ALIAS', 'EPHEMERAL') AND lower(database) NOT IN ('system', 'information_schema')
      ORDER BY position) GROUP BY database, table`,
  );
  return new Map(
    rows.map(([database, table, columns]) => [
      qualified(String(database), String(table)),
      (columns as [string, string][]).map(([name, type]) => ({ name, type })),
    ]),
  );
}

/** Where a stream of rows is read and counted, and goes nowhere: a structure as the columns' types are written. */
export function nowhere(columns: SavedTable['columns']): string {
  const structure = columns.map(({ name, type }) => `${escapedName(name)} ${type}`).join(', ');
  return `FUNCTION null(${quoted(structure)})`;
}
