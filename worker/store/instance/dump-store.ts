/** Reads the whole database in pages, for dumps, and stores the progress of each dump. */
import { desc, eq, sql } from 'drizzle-orm';
import { dumps } from '../schema/dumps.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';
import { selectSettings } from './settings-store.ts';

export type DumpRow = typeof dumps.$inferSelect;

/** The newest dumps first, and the settings; one round trip. */
export async function readDumps(db: Database) {
  const [rows, settings] = await db.batch([
    db.select().from(dumps).orderBy(desc(dumps.startedAt)),
    selectSettings(db),
  ]);
  return { rows, settings };
}

/** @returns false if the dump exists, because another run has just started it */
export async function insertDump(db: Database, id: string, startedAt: number): Promise<boolean> {
  const row = { id, state: 'running' as const, startedAt };
  return (await db.insert(dumps).values(row).onConflictDoNothing().returning()).length > 0;
}

export function updateDump(db: Database, { id, ...values }: Partial<DumpRow> & { id: string }) {
  return db.update(dumps).set(values).where(eq(dumps.id, id));
}

export const deleteDump = (db: Database, id: string) => db.delete(dumps).where(eq(dumps.id, id));

/** A page of the dumps, newest first. */
export function selectDumps(db: Database, page: Page) {
  const { after, orderBy, limit } = keysetOf({ at: dumps.startedAt, key: dumps.id }, 'newest', page);
  return db
    .select()
    .from(dumps)
    .where(after)
    .orderBy(...orderBy)
    .limit(limit);
}

/** One table, index or trigger, as SQL. */
export interface SchemaEntry {
  type: string;
  name: string;
  sql: string;
}

/** The schema in the order for creating it again, and the size of the database in bytes. */
export async function readSchema(db: Database): Promise<{ schema: SchemaEntry[]; sizeBytes: number }> {
  const { results, meta } = await db.run(sql`select type, name, sql from sqlite_master
    where sql is not null and name not like 'sqlite!_%' escape '!' and name not like '!_cf!_%' escape '!'
    order by case type when 'table' then 0 when 'index' then 1 else 2 end, rowid`);
  return { schema: results as SchemaEntry[], sizeBytes: meta.size_after };
}

export type DumpedRow = Record<string, string | number | null>;

/** The name under which a row's own number is read. */
export const rowNumber = '_row';

const selectPage = (db: Database, table: string, afterRow: number, limit: number) =>
  db.all<DumpedRow>(sql`select rowid as ${sql.identifier(rowNumber)}, * from ${sql.identifier(table)}
    where rowid > ${afterRow} and ${table === 'dumps' ? sql`state = 'complete'` : sql`true`}
    order by rowid limit ${limit}`);

/** Rows of a table in the order of their rowids. */
export async function readPage(db: Database, table: string, afterRow: number, limit: number) {
  return await selectPage(db, table, afterRow, limit);
}

/** All rows of all tables at one time: D1 runs a batch as one transaction. */
export async function readEverything(
  db: Database,
  tables: readonly [string, ...string[]],
): Promise<DumpedRow[][]> {
  const [first, ...others] = tables;
  const all = (table: string) => selectPage(db, table, -1, -1);
  return await db.batch([all(first), ...others.map(all)]);
}
