import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { expect, onTestFinished, test } from 'vitest';
import { applyMigrations, type MigratedDatabase, readMigrations } from '../../local/migrations.ts';
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
/** Inserts a row; columns that must have a value and are not given get an empty one. */
async function insert(db: MigratedDatabase, table: string, values: Record<string, string | number>) {
  const { results: columns } = await db.prepare(`PRAGMA table_info(${table})`).all();
  const needed = columns.filter(({ notnull, dflt_value }) => notnull === 1 && dflt_value === null);
  const empty = needed.map(({ name, type }) => [name, String(type).toUpperCase() === 'INTEGER' ? 0 : '']);
  const row = Object.entries({ ...Object.fromEntries(empty), ...values });
  const texts = row.map(([, value]) => (typeof value === 'number' ? value : `'${value}'`));
  await db.prepare(`INSERT INTO ${table} (${row.map(([name]) => name)}) VALUES (${texts})`).all();
}

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

/** More than a hundred migrations are as many writes to a disk that others use, too. */
const ofAllMigrations = { timeout: 120_000, tags: 'slow' };

test("the project's migrations apply to an empty database", ofAllMigrations, async () => {
  const db = await database();
  const migrations = await readMigrations(fileURLToPath(new URL('../../migrations', import.meta.url)));
  expect(await applyMigrations(db, migrations)).toHaveLength(migrations.length);
  expect(await tables(db)).toEqual(expect.arrayContaining(['projects', 'services', 'jobs', 'd1_migrations']));
});

test.each([
  ['true', '"none"'],
  ['false', undefined],
])(
  'the old switch of what read keys see is carried over: %s becomes %s',
  ofAllMigrations,
  async (old, now) => {
    const db = await database();
    const migrations = await readMigrations(fileURLToPath(new URL('../../migrations', import.meta.url)));
    const at = migrations.findIndex(({ name }) => name.includes('read-keys-see'));
    await applyMigrations(db, migrations.slice(0, at));
    await db.batch([
      db.prepare(`INSERT INTO settings VALUES ('maskValuesForReadKeys', '${old}', 0), ('auditDays', '9', 0)`),
    ]);
    await applyMigrations(db, migrations);
    const { results } = await db.prepare('SELECT name, value FROM settings ORDER BY name').all();
    const kept = [{ name: 'auditDays', value: '9' }];
    expect(results).toEqual(now === undefined ? kept : [...kept, { name: 'readKeysSee', value: now }]);
  },
);

test(
  'databases that exist, and deleted ones, keep the image that was the default until now',
  ofAllMigrations,
  async () => {
    const db = await database();
    const migrations = await readMigrations(fileURLToPath(new URL('../../migrations', import.meta.url)));
    const at = migrations.findIndex(({ name }) => name.includes('engine-settings'));
    await applyMigrations(db, migrations.slice(0, at));
    const service = { project_id: 'p', runner_id: 'r', kind: 'database' };
    const redis = { ...service, repo_full_name: 'database:redis' };
    const deleted = JSON.stringify({ kind: 'database', repo_full_name: 'database:mysql' });
    await insert(db, 'projects', { id: 'p', tenant_id: 'default' });
    await insert(db, 'runners', { id: 'r' });
    await insert(db, 'services', { ...redis, id: 'default', slug: 'a', host_port: 1 });
    await insert(db, 'services', { ...redis, id: 'own', slug: 'b', host_port: 2, image_ref: 'redis:7' });
    await insert(db, 'services', { ...service, id: 'web', slug: 'c', host_port: 3, kind: 'image' });
    await insert(db, 'deletions', { resource_id: 'd', kind: 'service', tenant_id: 'default' });
    await insert(db, 'deleted_rows', { resource_id: 'd', source: 'services', row: deleted });
    await applyMigrations(db, migrations);
    const kept = await db.prepare('SELECT id, default_image_ref AS image FROM services ORDER BY id').all();
    expect(kept.results).toEqual([
      { id: 'default', image: 'redis:8' },
      { id: 'own', image: null },
      { id: 'web', image: null },
    ]);
    const { results } = await db
      .prepare("SELECT row ->> '$.default_image_ref' AS image FROM deleted_rows")
      .all();
    expect(results).toEqual([{ image: 'mysql:9' }]);
  },
);

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
