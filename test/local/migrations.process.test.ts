import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { describe, expect, onTestFinished, test } from 'vitest';
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
const first = { name: '0000_first.sql', statements: ['CREATE TABLE one (id INTEGER)'] };
const second = {
  name: '0001_second.sql',
  statements: ['INSERT INTO one VALUES (1)', 'CREATE TABLE two (id INTEGER)'],
};

describe('migrations', () => {
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

  test("the project's migrations apply to an empty database", async () => {
    const db = await database();
    const migrations = await readMigrations(new URL('../../migrations', import.meta.url).pathname);
    expect(await applyMigrations(db, migrations)).toHaveLength(migrations.length);
    expect(await tables(db)).toEqual(
      expect.arrayContaining(['projects', 'services', 'jobs', 'd1_migrations']),
    );
  });

  test.each([
    ['true', '"none"'],
    ['false', undefined],
  ])('the old switch of what read keys see is carried over: %s becomes %s', async (old, now) => {
    const db = await database();
    const migrations = await readMigrations(new URL('../../migrations', import.meta.url).pathname);
    const at = migrations.findIndex(({ name }) => name.includes('read-keys-see'));
    await applyMigrations(db, migrations.slice(0, at));
    await db.batch([
      db.prepare(`INSERT INTO settings VALUES ('maskValuesForReadKeys', '${old}', 0), ('auditDays', '9', 0)`),
    ]);
    await applyMigrations(db, migrations);
    const { results } = await db.prepare('SELECT name, value FROM settings ORDER BY name').all();
    const kept = [{ name: 'auditDays', value: '9' }];
    expect(results).toEqual(now === undefined ? kept : [...kept, { name: 'readKeysSee', value: now }]);
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
});
