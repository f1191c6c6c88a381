/**
 * Counts tables and rows in the output of `mysqldump` as it passes: exact for this dump, and without a lock on the server. The dump has one
 * statement per line.
 */
import type { Contents } from '../../archive/archive.ts';
import { bodiesBegin, bodiesEnd, DumpLines } from './dump-lines.ts';

const code = { line: 10, quote: 39, open: 40, close: 41, backslash: 92, backtick: 96 };
const insert = 'INSERT INTO `';
const table = 'CREATE TABLE `';
/** Enough bytes to recognize the kind of a line. */
const headBytes = 16;

export class RowCounter {
  readonly contents: Contents = { tables: 0, rows: 0 };
  readonly #lines = new DumpLines(headBytes);
  #isInBody = false;
  #isInsert = false;
  #quote = 0;
  #isEscaped = false;
  #isRowNext = false;
  #depth = 0;

  take(chunk: Buffer): void {
    for (const { head, bytes } of this.#lines.pieces(chunk)) {
      if (head !== undefined) this.#begin(head);
      if (this.#isInsert) this.#takeOfInsert(head === undefined ? bytes : bytes.subarray(insert.length));
    }
  }

  #begin(head: string): void {
    if (head === bodiesBegin) this.#isInBody = true;
    else if (head === bodiesEnd) this.#isInBody = false;
    else if (!this.#isInBody && head.startsWith(table)) this.contents.tables++;
    this.#isInsert = !this.#isInBody && head.startsWith(insert);
    this.#quote = code.backtick; // the table's name follows
    this.#depth = 0;
  }

  #takeOfInsert(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === code.line) return;
      // A list of columns may come before the rows. It begins with a name.
      if (this.#isRowNext && byte !== code.backtick) this.contents.rows++;
      this.#isRowNext = false;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#quote !== 0) {
        if (byte === this.#quote) this.#quote = 0;
        else if (byte === code.backslash && this.#quote === code.quote) this.#isEscaped = true;
      } else if (byte === code.quote || byte === code.backtick) this.#quote = byte;
      else if (byte === code.open) this.#isRowNext = this.#depth++ === 0;
      else if (byte === code.close) this.#depth--;
    }
  }
}
