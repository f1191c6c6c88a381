import { expect, test } from 'vitest';
import { DumpLines, type LinePiece } from '../../../../runner/engines/mysql/archive/dump-lines.ts';
import { DumpText } from '../../../../runner/engines/mysql/archive/dump-text.ts';

const head = '-- MySQL dump 10.13  Distrib 9.5.0, for Linux (x86_64)\n--\n';
const table = (name: string) =>
  `CREATE TABLE \`${name}\` (\n  \`v\` text\n);\nINSERT INTO \`${name}\` VALUES ('a\\nUSE \`no\`;'),('b');\n`;
const end = '-- Dump completed on 2026-11-22  2:00:00\n';
const routine = 'DELIMITER ;;\nCREATE PROCEDURE p()\nBEGIN\nUSE `body`;\nEND ;;\nDELIMITER ;\n';

function read(text: string, { isForOne = true, pieceBytes = Number.POSITIVE_INFINITY } = {}) {
  const dump = new DumpText(isForOne);
  const lines = new DumpLines();
  const bytes = Buffer.from(text);
  const kept: Buffer[] = [];
  const take = (pieces: Iterable<LinePiece>) => {
    for (const piece of pieces) if (dump.takes(piece)) kept.push(piece.bytes);
  };
  for (let at = 0; at < bytes.length; at += pieceBytes)
    take(lines.pieces(bytes.subarray(at, at + Math.min(pieceBytes, bytes.length))));
  take(lines.end());
  dump.end();
  const loaded = Buffer.concat(kept).toString();
  return { loaded, databases: [...dump.databases], contents: dump.isCounted ? lines.contents : null };
}

test.each([1, 2, 7, 100, Number.POSITIVE_INFINITY])(
  'a dump reads the same in pieces of %d bytes',
  (pieceBytes) => {
    const text = `${head}CREATE DATABASE /*!32312 IF NOT EXISTS*/ \`we\`\`ird ü\` /*!40100 */;\n\nUSE \`we\`\`ird ü\`;\n${table('t')}${routine}${end}`;
    expect(read(text, { pieceBytes })).toEqual({
      loaded: `${head}\n${table('t')}${routine}${end}`,
      databases: ['we`ird ü'],
      contents: { tables: 1, rows: 2 },
    });
    expect(read(text, { pieceBytes, isForOne: false }).loaded).toBe(text);
  },
);

test("statements about the server's own log are left out, over any number of lines", () => {
  const log = `SET @@SESSION.SQL_LOG_BIN= 0;\nSET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ 'a-b:1-5,\nc-d:1-2';\nCHANGE MASTER TO MASTER_LOG_FILE='x';\n`;
  expect(read(`${head}${log}${table('t')}${end}`).loaded).toBe(`${head}${table('t')}${end}`);
});

test('the accounts in a backup of Longshore are left out', () => {
  const accounts = "CREATE USER IF NOT EXISTS 'a'@'%';\nGRANT ALL ON *.* TO 'a'@'%';\n\n-- all\n";
  expect(read(`${head}${table('t')}${end}${accounts}`).loaded).toBe(`${head}${table('t')}${end}`);
  expect(read(`${head}${accounts}${table('t')}${end}`).loaded).toBe(`${head}\n-- all\n${table('t')}${end}`);
});

test('a last line without a line feed is read', () => {
  const text = `${head}${table('t')}${end.trimEnd()}`;
  expect(read(text).loaded).toBe(text);
});

test.each([
  ['of MariaDB, whose rows stand on lines of their own', head.replace('MySQL', 'MariaDB'), ''],
  ['that replaces rows', head, 'REPLACE INTO `t` VALUES (1);\n'],
  ['that ignores rows', head, 'INSERT  IGNORE INTO `t` VALUES (1);\n'],
])('a dump %s is not counted', (_, begin, more) => {
  expect(read(`${begin}${table('t')}${more}${end}`).contents).toBeNull();
});

test('the first line of a newer MariaDB is not part of the dump', () => {
  const mariadb = `/*M!999999\\- enable the sandbox mode */ \n${head.replace('MySQL', 'MariaDB')}${end}`;
  expect(read(mariadb).loaded.startsWith('-- MariaDB dump')).toBe(true);
});

test.each([
  ['a text', 'Dear reader,\n', /something else, but must be a dump of mysqldump/],
  ['nothing', '', /incomplete/],
  ['a dump of phpMyAdmin', '-- phpMyAdmin SQL Dump\n', /something else/],
  ['a dump with line ends of Windows', `${head.replaceAll('\n', '\r\n')}`, /--result-file/],
  ['a dump that was cut', `${head}${table('t')}`, /"-- Dump completed" is missing/],
  ['a dump that was cut in its last line', `${head}${table('t')}-- Dump com`, /is missing/],
  ['two dumps', `${head}${end}${head}${table('t')}${end}`, /one dump at a time/],
])('a dump with %s is refused', (_, text, why) => {
  expect(() => read(text)).toThrow(why);
});

test('a dump in UTF-16 is refused', () => {
  const dump = new DumpText(true);
  const pieces = [...new DumpLines().pieces(Buffer.from(`\ufeff${head}`, 'utf16le'))];
  expect(() => pieces.map((piece) => dump.takes(piece))).toThrow(/UTF-16.*PowerShell/);
});

test('a dump that names endless databases is refused', () => {
  const uses = Array.from({ length: 10_001 }, (_, at) => `USE \`d${at}\`;\n`).join('');
  expect(() => read(`${head}${uses}${end}`)).toThrow('names more than 10,000 databases');
});
