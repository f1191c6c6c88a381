/** The statements are those of mysqldump 9.7 for tables with one, two and three rows. */
import { expect, test } from 'vitest';
import { DumpLines } from '../../../../runner/engines/mysql/archive/dump-lines.ts';
import { EmptyRows } from '../../../../runner/engines/mysql/archive/empty-rows.ts';

test.each([1, 7, 10_000])(
  'rows of tables with generated columns only are written as a server reads them, and counted, in pieces of %i bytes',
  (size) => {
    const dump = Buffer.from(
      'INSERT INTO `a``b` () VALUES );\nINSERT INTO `c` () VALUES ),));\nINSERT INTO `d` () VALUES ),)),)));\nINSERT INTO `e` VALUES (1),(2);\n',
    );
    const [lines, empty] = [new DumpLines(), new EmptyRows()];
    let [text, rows] = ['', 0];
    for (let at = 0; at < dump.length; at += size) {
      for (const piece of lines.pieces(dump.subarray(at, at + size))) {
        if (!empty.isPart(piece)) text += piece.bytes.toString();
        else {
          const mended = empty.mended(piece);
          text += mended.bytes.toString();
          rows += Math.max(0, mended.rows - 1);
        }
      }
    }
    expect(text).toBe(
      'INSERT INTO `a``b` () VALUES ();\nINSERT INTO `c` () VALUES (),();\nINSERT INTO `d` () VALUES (),(),();\nINSERT INTO `e` VALUES (1),(2);\n',
    );
    expect(lines.contents.rows + rows).toBe(8);
  },
);
