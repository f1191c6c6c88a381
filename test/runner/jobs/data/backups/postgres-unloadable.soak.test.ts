/** Objects and rows that PostgreSQL holds and `pg_restore` refuses: a backup names each of them, and its restore changes nothing. */
import { beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../../../../support/docker/use-databases.ts';

const database = useDatabase({
  ...{ engine: 'postgres', image: 'postgres:17' },
  env: { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'secret' },
});

const psql = async (script: string) =>
  (await database.printed(['psql', '-v', 'ON_ERROR_STOP=1', '-qAt', '-U', 'app', '-d', 'app', '-c', script]))
    .toString()
    .trim();

const readsAnotherTable = 'CREATE FUNCTION known(n int) RETURNS bool LANGUAGE plpgsql AS';
const objects = `CREATE TABLE "par ent" (a int, b int, PRIMARY KEY (b, a));
  CREATE TABLE child (x int, y int, CONSTRAINT "of par'ent" FOREIGN KEY (y, x) REFERENCES "par ent" (b, a));
  CREATE TABLE sound (x int, y int, FOREIGN KEY (y, x) REFERENCES "par ent" (b, a));
  CREATE TABLE unsure (x int, y int, FOREIGN KEY (y, x) REFERENCES "par ent" (b, a) NOT VALID);
  INSERT INTO "par ent" VALUES (1, 2); INSERT INTO sound VALUES (1, 2), (9, NULL);
  SET session_replication_role = replica; INSERT INTO child VALUES (1, 2), (2, 1); RESET session_replication_role;
  CREATE MATERIALIZED VIEW kept AS SELECT 1 AS n; CREATE MATERIALIZED VIEW empty AS SELECT 1 AS n WITH NO DATA;
  CREATE FUNCTION small(n int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT n < 10';
  CREATE TABLE changed (n int CONSTRAINT is_small CHECK (small(n))); INSERT INTO changed VALUES (5);
  CREATE OR REPLACE FUNCTION small(n int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT n < 3';
  ${readsAnotherTable} 'BEGIN RETURN EXISTS (SELECT FROM z_words w WHERE w.n = known.n); END';
  CREATE TABLE z_words (n int); INSERT INTO z_words VALUES (1);
  CREATE TABLE a_first (n int CONSTRAINT is_known CHECK (known(n))); INSERT INTO a_first VALUES (1);
  CREATE TRUSTED LANGUAGE own_language HANDLER plpgsql_call_handler;`;
const views =
  'The rows of materialized views in the database app: a restore refreshes these views instead: kept.';

beforeAll(() => psql(objects));

test('a backup names what its restore would refuse, and without that it can be restored', async () => {
  const backup = await database.backUp();
  expect(backup).toMatchObject({
    notKept: [
      expect.stringMatching(/^A restore of this backup fails: .* in pg_catalog: own_language\./),
      expect.stringMatching(/^A restore of this backup may fail: .*: is_known on a_first\./),
      views,
      expect.stringMatching(
        /^A restore of this backup fails: rows in the database app break the constraints "of par'ent" on child, is_small on changed\./,
      ),
    ],
  });
  expect(await database.run(database.restoreSpec(backup))).toMatchObject({ code: 'restore_failed' });
  await psql(`DROP LANGUAGE own_language; ALTER TABLE a_first DROP CONSTRAINT is_known; ALTER TABLE changed DROP CONSTRAINT is_small;
    ALTER TABLE changed ADD CONSTRAINT is_small CHECK (small(n)) NOT VALID; ALTER TABLE child DROP CONSTRAINT "of par'ent";
    ALTER TABLE child ADD CONSTRAINT "of par'ent" FOREIGN KEY (y, x) REFERENCES "par ent" (b, a) NOT VALID`);
  const mended = await database.backUp();
  expect(mended).toMatchObject({ notKept: [views] });
  expect(await database.run(database.restoreSpec(mended))).toMatchObject({ outcome: 'succeeded' });
  expect(await psql('SELECT count(*) FROM child')).toBe('2');
});
