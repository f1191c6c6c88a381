import { describe, expect, test } from 'vitest';
import { readStatement } from '../../../../runner/engines/postgres/refused-statement.ts';

const refusal = (text: string) => readStatement(text, 'app').refusal;

describe('a statement is run', () => {
  test.each([
    "SELECT 'COPY people TO PROGRAM ''x''', 'pg_read_file'",
    "INSERT INTO notes VALUES ($$ BEGIN; pg_read_file('/x') $$)",
    "SELECT E'it\\'s pg_read_file(' -- pg_read_file('/x')",
    "/* COPY x TO PROGRAM 'y' /* nested */ LISTEN */ SELECT 1",
    'SELECT "copy", "begin" FROM listen',
    'SELECT pg_read_files, my_dblink FROM t',
    'CREATE EXTENSION IF NOT EXISTS "uuid-ossp"',
    'CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$',
    "ALTER ROLE reader PASSWORD 'x'",
    "DO $body$ BEGIN UPDATE t SET a = 'x'; END $body$",
    'EXPLAIN ANALYZE SELECT 1',
    "SELECT 'unterminated",
    'SELECT $tag$ unterminated',
    'SELECT $1, a$b$c FROM t',
  ])('%s', (text) => {
    expect(refusal(text)).toBeUndefined();
  });
});

describe('a statement is refused', () => {
  test.each([
    ['  copy/* */people from stdin', /COPY/],
    ['(COPY people TO STDOUT)', /COPY/],
    ['-- x\nlisten news', /connection/],
    ['End', /DO block/],
    ['SELECT pg_read_file/* */(\n$$/etc/passwd$$)', /outside/],
    ['SELECT "pg_read_file"($$/etc/passwd$$)', /outside/],
    ['SELECT U&"\\0070g_read_file"($$/x$$)', /Unicode/],
    ['SELECT u&"!0070g_read_file" UESCAPE $$!$$ ($$/x$$)', /Unicode/],
    ["SELECT 1 WHERE dblink_connect('host=x') IS NULL", /outside/],
    ["DO LANGUAGE plpgsql 'BEGIN PERFORM lo_import(''/x''); END'", /outside/],
    ["CREATE OR REPLACE PROCEDURE p() AS $$ COPY t FROM PROGRAM 'x' $$ LANGUAGE sql", /COPY/],
    ["CREATE FUNCTION f() RETURNS int AS 'obj', 'f' LANGUAGE C", /rules/],
    ['create extension "postgres_fdw"', /outside/],
    ["CREATE SUBSCRIPTION s CONNECTION 'host=x' PUBLICATION p", /outside/],
    ["ALTER USER App WITH PASSWORD 'x'", /POSTGRES_PASSWORD/],
    ['DROP ROLE IF EXISTS "app"', /POSTGRES_PASSWORD/],
    ['ALTER ROLE CURRENT_USER NOSUPERUSER', /POSTGRES_PASSWORD/],
    ['alter role all set work_mem = 1', /POSTGRES_PASSWORD/],
  ])('%s', (text, says) => {
    expect(refusal(text)).toMatch(says);
  });
});

test('a change is recognized by its verb, whatever precedes it', () => {
  const isChange = (text: string) => readStatement(text, 'app').isChange;
  expect(isChange('update t set a = 1')).toBe(true);
  expect(
    isChange('WITH a AS (SELECT 1), b AS (DELETE FROM t RETURNING *) INSERT INTO c SELECT * FROM b'),
  ).toBe(true);
  expect(isChange('WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a')).toBe(false);
  expect(isChange("SELECT 'INSERT'")).toBe(false);
});

test('comments, blanks and semicolons alone are not a statement', () => {
  for (const text of ['', ' ;\n; ', '-- only this', '/* /* */ */']) {
    expect([text, readStatement(text, 'app').isEmpty]).toEqual([text, true]);
  }
});
