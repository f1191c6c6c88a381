/** The migrations can be applied by `wrangler d1 migrations apply --remote`, whose server cuts them into statements in its own way. */
import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readMigrations } from '../../local/migrations.ts';
import { contractions, migrationFlaws, splitAsD1 } from './checker/migrations.ts';

const folder = fileURLToPath(new URL('../../migrations/', import.meta.url));
const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
const text = (name: string) => readFileSync(`${folder}${name}`, 'utf8');

function databaseAfter(statements: string[]): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  for (const statement of statements) db.prepare(statement).run();
  return db;
}

/** The schema after these statements. */
function schemaOf(statements: string[]): unknown[] {
  const db = databaseAfter(statements);
  return db.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY type, name').all();
}

test.each(names)('%s has nothing that D1 would cut wrongly', (name) => {
  expect(migrationFlaws(text(name))).toEqual([]);
});

test.each(names)('%s leaves the Worker of the release before working', (name) => {
  expect(contractions(text(name))).toEqual([]);
});

test.each([
  'DROP TABLE jobs;',
  'ALTER TABLE `jobs` DROP COLUMN `phase`;',
  'ALTER TABLE jobs RENAME COLUMN phase TO step;',
  'ALTER TABLE jobs RENAME TO work;',
  'ALTER TABLE `jobs` ADD `step` text NOT NULL;',
])('%s is refused: the Worker of the release before needs what it takes away', (sql) => {
  expect(contractions(sql)).toHaveLength(1);
  expect(contractions("ALTER TABLE jobs ADD step text NOT NULL DEFAULT '';")).toEqual([]);
});

test('cut as D1 does, with the line that wrangler adds, the migrations make the same schema', async () => {
  const whole = await readMigrations(folder);
  const cut = names.flatMap((name) => splitAsD1(`${text(name)}\n SELECT '${name}';`));
  expect(schemaOf(cut)).toEqual(schemaOf(whole.flatMap(({ statements }) => statements)));
});

test('the rows that refer to a deleted row are found by an index, for every foreign key', async () => {
  const db = databaseAfter((await readMigrations(folder)).flatMap(({ statements }) => statements));
  const keys = db
    .prepare(
      `SELECT child.name AS "table", key."from" AS "column"
       FROM sqlite_master child JOIN pragma_foreign_key_list(child.name) key WHERE child.type = 'table'`,
    )
    .all();
  expect(keys.length).toBeGreaterThan(30);
  const plan = (key: (typeof keys)[number]) =>
    db.prepare(`EXPLAIN QUERY PLAN SELECT rowid FROM "${key.table}" WHERE "${key.column}" = ?`).all('');
  const scanned = keys.filter((key) => !plan(key).every(({ detail }) => `${detail}`.startsWith('SEARCH')));
  expect(scanned).toEqual([]);
});

test('every migration of the journal has a file, every file is in the journal, and only the last snapshot is kept', () => {
  const { entries } = JSON.parse(readFileSync(`${folder}meta/_journal.json`, 'utf8'));
  expect(entries.map(({ tag }: { tag: string }) => `${tag}.sql`)).toEqual(names.sort());
  const number = `${entries.length - 1}`.padStart(4, '0');
  expect(readdirSync(`${folder}meta`).sort()).toEqual([`${number}_snapshot.json`, '_journal.json']);
});

test.each([
  ['on more than one line', 'CREATE TRIGGER t AFTER INSERT ON a\nBEGIN DELETE FROM a; END;\n'],
  ['with an inner END', 'CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT CASE WHEN 1 THEN 2 END; END;\n'],
  ['in small letters', 'create trigger t after insert on a begin delete from a; end;\n'],
  [
    'behind another statement',
    'DELETE FROM a; CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM a; END;\n',
  ],
  [
    'before another statement',
    'CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM a; END; DELETE FROM a;\n',
  ],
])('a trigger %s is refused', (_, sql) => {
  const trigger = 'CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM a; END;\n';
  expect(migrationFlaws(sql)).not.toEqual([]);
  expect(migrationFlaws(`SELECT 1;\n${trigger}--> statement-breakpoint\n${trigger}`)).toEqual([]);
});

test('a semicolon in a comment is refused', () => {
  expect(migrationFlaws('-- one; two\nSELECT 1;\n')).not.toEqual([]);
});

test.each([
  ['on several lines', 'CREATE TRIGGER t AFTER INSERT ON a\nBEGIN\n  DELETE FROM a;\nEND;'],
  ['with an inner END', 'CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT CASE WHEN 1 THEN 2 END; END;'],
])('the model of D1 fails for a trigger %s, as D1 did', (_, sql) => {
  expect(() => schemaOf(['CREATE TABLE a (id)', ...splitAsD1(sql)])).toThrow(/incomplete input|syntax error/);
});
