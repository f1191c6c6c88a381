import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { expect, onTestFinished, test } from 'vitest';
import { applyMigrations, type MigratedDatabase, readMigrations } from '../../local/migrations.ts';
import { lastSources } from '../support/last-release.ts';
import { temporaryDirectory } from '../support/runner/temporary.ts';

/** A real D1, empty. */
async function database(): Promise<MigratedDatabase> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: 'export default { fetch: () => new Response() }',
      d1Databases: { DB: 'test' },
      cf: false,
      telemetry: { enabled: false },
    }),
  );
  onTestFinished(() => miniflare.dispose());
  return miniflare.getD1Database('DB');
}

const tables = async (db: MigratedDatabase) => {
  const { results } = await db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  return results.map((row) => row.name);
};
const first = { name: '0000_first.sql', statements: ['CREATE TABLE one (id INTEGER)'] };
const second = {
  name: '0001_second.sql',
  statements: ['INSERT INTO one VALUES (1)', 'CREATE TABLE two (id INTEGER)'],
};

test('migrations are applied once each, in order, whatever the number of starts', async () => {
  const db = await database();
  expect(await applyMigrations(db, [first])).toEqual([first.name]);
  expect(await applyMigrations(db, [first, second])).toEqual([second.name]);
  expect(await applyMigrations(db, [first, second])).toEqual([]);
  const { results } = await db.prepare('SELECT count(*) AS n FROM one').all();
  expect(results).toEqual([{ n: 1 }]);
});

test('a failed migration is not applied in part and is retried', async () => {
  const db = await database();
  const broken = {
    name: '0000_first.sql',
    statements: ['CREATE TABLE half (id INTEGER)', 'CREATE nonsense'],
  };
  await expect(applyMigrations(db, [broken])).rejects.toThrow();
  expect(await tables(db)).not.toContain('half');
  expect(await applyMigrations(db, [first])).toEqual([first.name]);
});

test('data of a newer version is refused', async () => {
  const db = await database();
  await applyMigrations(db, [first, second]);
  await expect(applyMigrations(db, [first])).rejects.toThrow('newer version (migration 0001_second.sql)');
});

const project = fileURLToPath(new URL('../..', import.meta.url));
const ofProject = () => readMigrations(join(project, 'migrations'));

/** The schema, without the order of columns: an old table has new columns at its end. */
async function schemaOf(db: MigratedDatabase): Promise<unknown> {
  const all = async (query: string) => (await db.prepare(query).all()).results;
  const named = "FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'";
  const tables = `(SELECT name AS "table" ${named} AND type = 'table')`;
  const columns = 'name, type, "notnull", dflt_value, pk';
  const keys = '"from", "to", keys."table" AS parent, on_update, on_delete';
  return {
    columns: await all(
      `SELECT "table", ${columns} FROM ${tables} t, pragma_table_info(t."table") ORDER BY 1, 2`,
    ),
    keys: await all(
      `SELECT t."table", ${keys} FROM ${tables} t, pragma_foreign_key_list(t."table") keys ORDER BY 1, 2`,
    ),
    // Their order decides which trigger runs first, and which of two equal indexes is used.
    others: await all(
      `SELECT type, tbl_name, name, sql ${named} AND type <> 'table' ORDER BY type, tbl_name, rowid`,
    ),
    rows: await all('SELECT id, name, quotas FROM tenants'),
    usage: await all('SELECT tenant_id, memory_mb, log_bytes FROM tenant_usage'),
  };
}

test('a database of the release before is upgraded to the schema of a new one', {
  timeout: 60_000,
  tags: 'slow',
}, async () => {
  const now = await ofProject();
  const [upgraded, created] = [await database(), await database()];
  const before = await readMigrations(join(await lastSources(), 'migrations'));
  await applyMigrations(upgraded, before);
  await upgraded.prepare("UPDATE tenants SET quotas = '{}', name = 'default' WHERE id = 'default'").all();
  await applyMigrations(upgraded, now);
  expect(await applyMigrations(created, now)).toEqual(now.map(({ name }) => name));
  expect(await schemaOf(upgraded)).toEqual(await schemaOf(created));
  expect(await applyMigrations(upgraded, now)).toEqual([]);
});

test('a released migration stays as it was released', async () => {
  const [now, released] = [await ofProject(), await readMigrations(join(await lastSources(), 'migrations'))];
  const shared = released.filter(({ name }) => now.some((migration) => migration.name === name));
  expect(now.filter(({ name }) => shared.some((migration) => migration.name === name))).toEqual(shared);
});

test('a database of 0.1.0 has the migrations of 0.2.0 recorded, without running them', async () => {
  const db = await database();
  const last = { name: '0132_audit_log_host_copied.sql', statements: ['CREATE TABLE settings (old)'] };
  await applyMigrations(db, [{ ...first, name: '0000_initial.sql' }, last]);
  const later = { name: '0013_later.sql', statements: ['CREATE TABLE later (id)'] };
  // Those that 0.1.0 has in one file for each subject; what came later runs.
  const now = [...(await ofProject()).filter(({ name }) => name < '0013'), later];
  expect(await applyMigrations(db, now)).toEqual([later.name]);
  expect(await applyMigrations(db, now)).toEqual([]);
  await expect(applyMigrations(db, now.slice(0, -1))).rejects.toThrow(
    'newer version (migration 0013_later.sql)',
  );
});

test('a database that stopped before the end of 0.1.0 is refused, and the error says what to start first', async () => {
  const db = await database();
  await applyMigrations(db, [{ ...first, name: '0000_initial.sql' }, second]);
  await expect(applyMigrations(db, await ofProject())).rejects.toThrow(
    /migration 0001_second.sql, before the last one of 0.1.0. .*git checkout 04a2fce8/,
  );
  expect(await tables(db)).not.toContain('settings');
});

test('migrations are read in the order of their names and cut at the breakpoints', async () => {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'meta'));
  await writeFile(join(directory, '0001_b.sql'), 'SELECT 2;');
  await writeFile(
    join(directory, '0000_a.sql'),
    'SELECT 1;--> statement-breakpoint\nSELECT 3;\n--> statement-breakpoint\n',
  );
  expect(await readMigrations(directory)).toEqual([
    { name: '0000_a.sql', statements: ['SELECT 1;', 'SELECT 3;'] },
    { name: '0001_b.sql', statements: ['SELECT 2;'] },
  ]);
});
