import fc from 'fast-check';
import { expect, test } from 'vitest';
import { refuseStatement } from '../../../../runner/engines/mysql/refused-statement.ts';
import { sqlWords } from '../../../../runner/engines/mysql/sql-words.ts';

/** What may stand between two words, or hide one, and changes nothing of what MySQL does. */
const gap = fc.constantFrom(
  ' ',
  '\n',
  '\t',
  '/**/',
  '/* OUTFILE */',
  " -- it's\n",
  '# "\n',
  " /* ' */ ",
  '/*/ */',
);
/** A text, which may look like the end of another. */
const quoted = fc.constantFrom(
  `''`,
  `'it''s'`,
  `'\\''`,
  `"\\""`,
  `'/*'`,
  `'-- '`,
  `"a""b"`,
  `'\\\\'`,
  '`a``b`',
  '`\\`',
);

test('statements that write files are found behind any gaps, quotes and comments', () => {
  const statement = fc.tuple(
    quoted,
    gap,
    quoted,
    gap,
    fc.constantFrom('OUTFILE', 'outfile', 'DumpFile'),
    gap,
  );
  fc.assert(
    fc.property(statement, ([one, first, two, second, word, third]) => {
      const text = `SELECT ${one},${first}${two}${second}INTO${second}${word}${third}'/tmp/x'`;
      expect(() => refuseStatement(text)).toThrow('write files');
    }),
  );
});

test('statements are run when such words are inside quotes and comments alone', () => {
  const hidden = fc.constantFrom(
    `'INTO OUTFILE'`,
    `"INTO OUTFILE ''"`,
    '`INTO OUTFILE`',
    '/* INTO OUTFILE */ 1',
    '1 -- OUTFILE',
    `'\\' INTO OUTFILE'`,
  );
  fc.assert(
    fc.property(gap, hidden, (between, word) => {
      expect(() => refuseStatement(`SELECT${between} ${word}`)).not.toThrow();
    }),
  );
});

test('statements that could be read in two ways are refused', () => {
  for (const text of [
    'SELECT /*! 1 */',
    'SELECT /*!99999 1 */',
    'SELECT /*M!100000 1 */',
    'SELECT /*+ QB_NAME(`a*/`) */ 1',
    'SELECT 1 --\u0001 x',
    'SELECT 1 --\u007f x',
    `SELECT 'a`,
    'SELECT `a',
    'SELECT "a\\"',
  ]) {
    expect(() => refuseStatement(text), text).toThrow();
  }
});

test("statements that drop the service's own database are refused, those of others are not", () => {
  for (const text of [
    'DROP DATABASE app',
    'drop schema if exists `app`;',
    'DROP/**/DATABASE -- x\n app',
    'CREATE PROCEDURE p() BEGIN DROP DATABASE IF EXISTS app; END',
  ]) {
    expect(() => refuseStatement(text, 'app'), text).toThrow(/app belongs to the service/);
  }
  expect(() => refuseStatement('DROP DATABASE `my``app one`', 'my`app one')).toThrow(
    /belongs to the service/,
  );
  for (const text of ['DROP DATABASE other', 'DROP TABLE app', "SELECT 'DROP DATABASE app'"]) {
    expect(() => refuseStatement(text, 'app'), text).not.toThrow();
  }
});

test('statements are read as words, quoted ones each in its quotes', () => {
  expect(sqlWords("select `a b`.x,'it''s' from t--1 -- end")).toEqual([
    'SELECT',
    '`A_B`',
    '.',
    'X',
    ',',
    "'IT''S'",
    'FROM',
    'T',
    '-',
    '-',
    '1',
  ]);
  expect(sqlWords('SELECT 1/*/ x */+2')).toEqual(['SELECT', '1', '+', '2']);
});
