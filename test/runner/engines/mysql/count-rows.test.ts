import { describe, expect, test } from 'vitest';
import { RowCounter } from '../../../../runner/engines/mysql/archive/count-rows.ts';

const sql = String.raw`-- MySQL dump 10.13
CREATE TABLE ${'`'}a (1),(2)${'`'} (
  ${'`'}v${'`'} text COMMENT 'INSERT INTO'
);
INSERT INTO ${'`'}a (1),(2)${'`'} VALUES ('it\'s (1),(2)'),('\\'),(NULL),(0x28),(_binary 'x''y('),('"');
INSERT INTO ${'`'}a (1),(2)${'`'} (${'`'}v${'`'}, ${'`'}w (${'`'}) VALUES ('a;',2),('b',-3.5);
CREATE TABLE ${'`'}none${'`'} (
);
INSERT INTO ${'`'}none${'`'} VALUES (),();
DELIMITER ;;
CREATE PROCEDURE p() BEGIN
INSERT INTO ${'`'}none${'`'} VALUES (1),(2);
CREATE TABLE ${'`'}of the body${'`'} (a int);
END ;;
DELIMITER ;
INSERT INTO ${'`'}last${'`'} VALUES (1);
-- Dump completed
`;

describe('the counter of a dump', () => {
  test.each([1, 3, 7, 64, 10_000])(
    'the counter of a dump counts tables and rows in pieces of %i bytes, and none of texts, names and bodies',
    (size) => {
      const counter = new RowCounter();
      const bytes = Buffer.from(sql);
      for (let at = 0; at < bytes.length; at += size) counter.take(bytes.subarray(at, at + size));
      expect(counter.contents).toEqual({ tables: 2, rows: 11 });
    },
  );
});
