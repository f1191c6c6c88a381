/** The manifest of a backup: the first entry of its tar. The statements are the server's own. */
import { z } from 'zod';
import { listOf } from '../../archive/description.ts';
import { EngineError } from '../../engine-error.ts';
import type { Json } from '../../row.ts';
import { escapedName } from '../bound-value.ts';
import { qualified, quoted, type Server } from './server.ts';

export const manifestName = 'manifest.json';
/** The last entry: the row count of each table with data, in the order of the manifest. */
export const countsName = 'counts.json';
export const countsSchema = z.object({ rows: listOf(z.number().int().nonnegative()) });
const format = 'longshore-clickhouse-1';

const objectSchema = z.object({
  database: z.string(),
  name: z.string(),
  engine: z.string(),
  uuid: z.string(),
  /** The CREATE statement with its UUID: the UUIDs tie a materialized view to its inner table. */
  statement: z.string(),
  /** `null` for objects without saved rows. ALIAS and EPHEMERAL columns hold no data. */
  columns: listOf(z.object({ name: z.string(), type: z.string() })).nullable(),
});
export type SavedObject = z.infer<typeof objectSchema>;
export type SavedTable = SavedObject & { columns: NonNullable<SavedObject['columns']> };

export const manifestSchema = z.object({
  format: z.literal(format),
  server: z.string(),
  /** The users' `CREATE FUNCTION` statements. */
  functions: listOf(z.string()),
  objects: listOf(objectSchema),
});
export type Manifest = z.infer<typeof manifestSchema>;

export const tablesOf = (objects: SavedObject[]) =>
  objects.filter((object): object is SavedTable => object.columns !== null);

/** Databases with such a name belong to a restore and hold no user data. */
export const isOwnDatabase = (name: string) => /^longshore_(?:restore|swap|before)_/.test(name);

/** Engines whose tables store rows and can be read. A Set can't be read; a Buffer reads the table that it writes to. */
const holdsRows = /MergeTree$|^(?:Log|TinyLog|StripeLog|Memory|Join|EmbeddedRocksDB)$/;
/** The database engine that allows renames. */
const savedDatabase = 'Atomic';

/**
 * @param only saves only this database, regardless of its engine
 * @throws EngineError when a table is in a database that can't be restored
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

/** A table function that reads and counts a stream of rows and discards them. Its structure lists the columns and their types. */
export function nowhere(columns: SavedTable['columns']): string {
  const structure = columns.map(({ name, type }) => `${escapedName(name)} ${type}`).join(', ');
  return `FUNCTION null(${quoted(structure)})`;
}
