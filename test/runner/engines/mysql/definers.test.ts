import { expect, test } from 'vitest';
import { DefinerFilter } from '../../../../runner/engines/mysql/archive/definers.ts';
import { DumpLines } from '../../../../runner/engines/mysql/archive/dump-lines.ts';

const dump = String.raw`-- MySQL dump 10.13
CREATE TABLE ''a'' (
  ''v'' text COMMENT 'DEFINER=''x''@''y'''
);
INSERT INTO ''a'' VALUES ('CREATE DEFINER=''x''@''y'' PROCEDURE'),('\n/*!50013 DEFINER=''x''@''y'' SQL SECURITY DEFINER */\n');
/*!50013 DEFINER=''stays''@''y'' SQL SECURITY DEFINER */
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=''o''''dd''@''%'' SQL SECURITY INVOKER */
/*!50001 VIEW ''seen'' AS select 'DEFINER=''x''@''y''' AS ''d'' */;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=''root''@''localhost''*/ /*!50003 TRIGGER ''t'' AFTER INSERT ON ''a'' FOR EACH ROW
BEGIN
CREATE DEFINER=''stays''@''%'' PROCEDURE text
END */;;
DELIMITER ;
DELIMITER ;;
/*!50003 SET sql_mode              = 'NO_AUTO_CREATE_USER' */ ;;
/*!50106 CREATE*/ /*!50117 DEFINER=''root''@''%''*/ /*!50106 EVENT ''e'' ON SCHEDULE EVERY 1 DAY DO
DELETE FROM ''a'' */ ;;
DELIMITER ;
DELIMITER ;;
CREATE DEFINER=''päß;;''@''10.0.0.0/255.0.0.0'' PROCEDURE ''p''()
BEGIN
  SET @s = '
CREATE DEFINER=''stays''@''%'' PROCEDURE ''q''()
/*!50003 SET sql_mode = 'NO_AUTO_CREATE_USER' */ ;
';
END ;;
DELIMITER ;
CREATE DEFINER=''stays''@''%'' PROCEDURE not between delimiters
-- the end without a line break`.replaceAll("''", '`');

const expected = dump
  .replace('/*!50013 DEFINER=`o``dd`@`%` SQL', '/*!50013 SQL')
  .replace('STRICT_TRANS_TABLES,NO_AUTO_CREATE_USER,NO_ENGINE', 'STRICT_TRANS_TABLES,NO_ENGINE')
  .replace('/*!50017 DEFINER=`root`@`localhost`*/ ', '')
  .replace("= 'NO_AUTO_CREATE_USER' */ ;;", "= '' */ ;;")
  .replace('/*!50117 DEFINER=`root`@`%`*/ ', '')
  .replace('CREATE DEFINER=`päß;;`@`10.0.0.0/255.0.0.0` ', 'CREATE ');

function filtered(text: string, size: number): string {
  const filter = new DefinerFilter();
  const lines = new DumpLines();
  const bytes = Buffer.from(text);
  const passed: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size)
    for (const piece of lines.pieces(bytes.subarray(at, at + size))) passed.push(filter.take(piece));
  for (const piece of lines.end()) passed.push(filter.take(piece));
  return Buffer.concat(passed).toString();
}

test.each([1, 2, 7, 64, 100_000])(
  'the filter removes definers of views, triggers, events and routines in pieces of %i bytes, and nothing of texts and bodies',
  (size) => {
    expect(filtered(dump, size)).toBe(expected);
    expect(expected.match(/stays/g)).toHaveLength(4);
  },
);

test('the filter of definers passes rows that are longer than what it looks at, byte by byte', () => {
  const rows = `INSERT INTO \`a\` VALUES ('${'DELIMITER ;;\\n'.repeat(2_000)}');\n`;
  for (const size of [1, 4_095, 4_096, 4_097, 100_000]) expect(filtered(rows + rows, size)).toBe(rows + rows);
});
