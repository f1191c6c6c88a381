/** Applies `migrations/*.sql` to the local D1, in order, each once. It uses the same table as `wrangler d1 migrations apply`. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

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
const createTable = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

/** drizzle-kit writes this between statements. */
const statementBreak = '--> statement-breakpoint';

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
 */
export async function applyMigrations(db: MigratedDatabase, migrations: Migration[]): Promise<string[]> {
  await db.batch([db.prepare(createTable)]);
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all();
  const applied = new Set(results.map((row) => String(row.name)));
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = [...applied].filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new Error(`the data was written by a newer version (migration ${unknown.join(', ')})`);
  const missing = migrations.filter((migration) => !applied.has(migration.name));
  for (const { name, statements } of missing) {
    const record = db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name);
    await db.batch([...statements.map((statement) => db.prepare(statement)), record]);
  }
  return missing.map((migration) => migration.name);
}
