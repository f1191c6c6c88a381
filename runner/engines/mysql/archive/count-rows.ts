/**
 * Counts tables and rows in what `mysqldump` writes, while it passes: exact for the very dump, and without a lock on the server. It writes
 * one statement a line, with line breaks in texts escaped, and bodies of routines and triggers between two lines `DELIMITER`.
 */
import type { Contents } from '../../archive/archive.ts';

const code = { line: 10, quote: 39, open: 40, close: 41, backslash: 92, backtick: 96 };
const insert = 'INSERT INTO `';
const table = 'CREATE TABLE `';
const bodiesBegin = 'DELIMITER ;;';
const bodiesEnd = 'DELIMITER ;';
/** Enough to tell what a line is. */
const headBytes = 16;

export class RowCounter {
  readonly contents: Contents = { tables: 0, rows: 0 };
  #head = '';
  #isInBody = false;
  #isInsert = false;
  #quote = 0;
  #isEscaped = false;
  #isRowNext = false;
  #depth = 0;

  take(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === code.line) this.#endLine();
      else if (this.#isInsert) this.#takeOfInsert(byte);
      else if (this.#head.length < headBytes) this.#takeHead(byte);
      else at = this.#lastBeforeLine(chunk, at);
    }
  }

  #lastBeforeLine(chunk: Buffer, from: number): number {
    const next = chunk.indexOf(code.line, from);
    return next < 0 ? chunk.length : next - 1;
  }

  #takeHead(byte: number): void {
    this.#head += String.fromCharCode(byte);
    if (this.#isInBody || this.#head !== insert) return;
    this.#isInsert = true;
    this.#quote = code.backtick; // of the table's name
  }

  #takeOfInsert(byte: number): void {
    // A list of columns may stand before the rows, and begins with a name.
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

  #endLine(): void {
    if (!this.#isInBody && this.#head.startsWith(table)) this.contents.tables++;
    if (this.#head === bodiesBegin) this.#isInBody = true;
    else if (this.#head === bodiesEnd) this.#isInBody = false;
    this.#head = '';
    this.#isInsert = false;
    this.#quote = 0;
    this.#depth = 0;
  }
}
