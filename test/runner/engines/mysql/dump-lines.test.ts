import { expect, test } from 'vitest';
import { DumpLines, type LinePiece } from '../../../../runner/engines/mysql/archive/dump-lines.ts';

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
CREATE TABLE ${'`'}a
INSERT INTO ${'``'}b${'`'} (
  ${'`'}v${'`'} text COMMENT 'it${"''"}s ${'`'}'
);
INSERT INTO ${'`'}a
INSERT INTO ${'``'}b${'`'} VALUES (1,')
DELIMITER ;;
INSERT INTO ${'`'}none${'`'} VALUES (1)'),(2,'');
DELIMITER ;;
CREATE PROCEDURE p() BEGIN /* it's ;;
DELIMITER ;
*/ SELECT '${'`'}\';;
DELIMITER ;
INSERT INTO ${'`'}none${'`'} VALUES (1),(2);
', 2 - -1 -- it's
; END ;;
/*!50003 CREATE*/ /*!50017 DEFINER=${'`'}r${'`'}@${'`'}%${'`'}*/ /*!50003 TRIGGER t BEGIN
INSERT INTO ${'`'}none${'`'} VALUES (1);
END */;;
DELIMITER ;
INSERT INTO ${'`'}last${'`'} VALUES (1);
-- Dump completed
`;

function linesOf(text: string, size: number) {
  const lines = new DumpLines();
  const bytes = Buffer.from(text);
  const pieces: LinePiece[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(...lines.pieces(bytes.subarray(at, at + size)));
  return { lines, pieces: [...pieces, ...lines.end()] };
}

test.each([1, 3, 7, 64, 10_000])(
  'tables and rows are counted in pieces of %i bytes, and none of texts, names and bodies',
  (size) => {
    const { lines, pieces } = linesOf(sql, size);
    expect(lines.contents).toEqual({ tables: 3, rows: 14 });
    expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).toString()).toBe(sql);
  },
);

test('a routine whose SQL mode has no escapes ends where the mysql program ends it', () => {
  const mode = "/*!50003 SET sql_mode              = 'NO_BACKSLASH_ESCAPES' */ ;\n";
  const body = "DELIMITER ;;\nCREATE PROCEDURE p() SELECT '\\' ;;\nDELIMITER ;\n";
  const { lines } = linesOf(`${mode}${body}INSERT INTO \`t\` VALUES (1);\n`, 10_000);
  expect(lines.contents.rows).toBe(1);
});
