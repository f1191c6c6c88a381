/** Applies `migrations/*.sql` to the local D1, in order, each once. It uses the same table as `wrangler d1 migrations apply`. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from './start-error.ts';

/** The part of D1 that migrations need. */
export interface MigratedDatabase {
  prepare(sql: string): MigratedStatement;
  /** Runs all statements in one transaction. */
  batch(statements: MigratedStatement[]): Promise<unknown>;
}

export interface MigratedStatement {
  bind(...values: string[]): MigratedStatement;
  all(): Promise<{ results: Record<string, unknown>[] }>;
}

export interface Migration {
  name: string;
  statements: string[];
}

/** Name and layout are wrangler's (`d1_migrations`), so that either tool can continue where the other stopped. */
export const createTable = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

/** The names of the applied migrations, in the order in which they were applied. */
export const selectNames = 'SELECT name FROM d1_migrations ORDER BY id';

/** drizzle-kit writes this between statements. */
const statementBreak = '--> statement-breakpoint';

/** Version 0.1.0 had 133 migrations, from the first of these to the last. */
const [firstOf010, lastOf010] = ['0000_initial.sql', '0132_audit_log_host_copied.sql'];
/** The migrations of 0.2.0 up to this one create the schema that the 133 created. */
const lastOfBase = '0012_usage.sql';

export async function readMigrations(directory: string): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (name) => {
      const text = await readFile(join(directory, name), 'utf8');
      const statements = text.split(statementBreak).map((part) => part.trim());
      return { name, statements: statements.filter((statement) => statement !== '') };
    }),
  );
}

/**
 * Applies the missing migrations. A migration and its row are one transaction: it is applied completely or not at all.
 * @returns the names of the migrations applied now.
 * @throws Error when the database has a migration that this version does not know: a newer version made it.
 * @throws StartError `control_plane_failed` when the database stopped before the last migration of 0.1.0.
 */
export async function applyMigrations(db: MigratedDatabase, migrations: Migration[]): Promise<string[]> {
  await db.batch([db.prepare(createTable)]);
  const { results } = await db.prepare(selectNames).all();
  const applied = results.map((row) => String(row.name));
  const known = migrations.map(({ name }) => name);
  const unknown = applied.slice(applied.indexOf(lastOf010) + 1).filter((name) => !known.includes(name));
  const inherited = inheritedMigrations(applied, known);
  if (unknown.length > 0)
    throw new Error(`the data was written by a newer version (migration ${unknown.join(', ')})`);
  const record = (name: string) => db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name);
  if (inherited.length > 0) await db.batch(inherited.map(record));
  const done = [...applied, ...inherited];
  const missing = migrations.filter(({ name }) => !done.includes(name));
  for (const { name, statements } of missing)
    await db.batch([...statements.map((statement) => db.prepare(statement)), record(name)]);
  return missing.map(({ name }) => name);
}

/**
 * A database of 0.1.0 has the tables of 0.2.0, created by migrations with other names
 * (docs/decisions/0078-migrations-begin-at-the-first-release.md).
 * @param applied names in the order in which they were applied
 * @param known names of this version's migrations
 * @returns names to record as applied without running them
 * @throws StartError `control_plane_failed` when the database stopped before the last migration of 0.1.0
 */
export function inheritedMigrations(applied: readonly string[], known: readonly string[]): string[] {
  if (!applied.includes(firstOf010)) return [];
  if (!applied.includes(lastOf010))
    throw new StartError(
      'control_plane_failed',
      `this database ends with the migration ${applied.at(-1)}, before the last one of 0.1.0. Start it once with the last commit of 0.1.0, which brings it up to date: "git checkout 04a2fce8". Then come back to this version (docs/operate/upgrades.md#from-010-to-020).`,
    );
  return known.filter((name) => name <= lastOfBase && !applied.includes(name));
}
