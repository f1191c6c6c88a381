/**
 * Splits the output of `mysqldump` into lines, and counts tables and rows on the way: these counts match the dump exactly, and need no lock
 * on the server.
 *
 * A line is a logical line: a line break inside a quoted name or text does not end it, so the first bytes of a line always show its type.
 * Bodies of routines, triggers and events are between the lines `DELIMITER ;;` and `DELIMITER ;`. Each of their statements ends with `;;`.
 * Quotes and comments are read as the `mysql` program reads them.
 */
import type { Contents } from '../../archive/archive.ts';

const code = {
  ...{ line: 10, blank: 32, exclamation: 33, double: 34, hash: 35, quote: 39, open: 40, close: 41 },
  ...{ backslash: 92, backtick: 96 },
};
const pairOf = (text: string) => Buffer.from(text).readUInt16BE();
const pairs = {
  dashes: pairOf('--'),
  semicolons: pairOf(';;'),
  commentBegins: pairOf('/*'),
  commentEnds: pairOf('*/'),
};
const bodiesBegin = 'DELIMITER ;;\n';
const bodiesEnd = 'DELIMITER ;\n';
const table = 'CREATE TABLE `';
export const insert = 'INSERT INTO `';
const insertBytes = Buffer.from(insert);
const nothing = Buffer.alloc(0);
/** Longer than any definer or name, so a consumer can recognize every line by its head. */
const headBytesMax = 4_096;
const noEscapes = /^\/\*!\d+ SET sql_mode\s+=\s*'[^']*\bNO_BACKSLASH_ESCAPES\b/;
const modeLine = /^\/\*!\d+ SET sql_mode\s/;

/** The place where a line begins. `statement` and `body`: between the two `DELIMITER` lines, at the start of a statement or inside one. */
export type LinePlace = 'outside' | 'statement' | 'body';

export interface LinePiece {
  bytes: Buffer;
  /** The beginning of a line as latin1 text; `undefined` for later pieces. A line shorter than `headBytesMax` is one piece. */
  head: string | undefined;
  /** The piece ends the line. */
  isLast: boolean;
  place: LinePlace;
}

export class DumpLines {
  readonly contents: Contents = { tables: 0, rows: 0 };
  #place: LinePlace = 'outside';
  /** The beginning of a line that is not yet long enough for a piece. */
  #rest: Buffer = nothing;
  #head: string | undefined;
  #hasNoEscapes = false;
  // The state inside a line.
  #column = 0;
  #isInsert = true;
  #quote = 0;
  #isEscaped = false;
  #isRowNext = false;
  #depth = 0;
  #comment: 'none' | 'line' | 'opened' | 'block' = 'none';
  /** The last three bytes of a body. */
  #recent = 0;
  /** The statement of a body has ended in this line. */
  #isEnded = false;

  *pieces(chunk: Buffer): Generator<LinePiece> {
    for (let at = 0; at < chunk.length; ) {
      const found = this.#lineEnd(chunk, at);
      const lineEnd = found < 0 ? chunk.length : found;
      yield* this.#cut(chunk.subarray(at, lineEnd), found >= 0);
      at = lineEnd;
    }
  }

  /** A last line without a line break. */
  *end(): Generator<LinePiece> {
    if (this.#rest.length > 0) yield this.#piece(this.#rest, true);
  }

  *#cut(part: Buffer, isLast: boolean): Generator<LinePiece> {
    let bytes = part;
    if (this.#head === undefined) {
      bytes = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part]);
      this.#rest = nothing;
      if (!isLast && bytes.length < headBytesMax) {
        this.#rest = bytes;
        return;
      }
      if (bytes.length > headBytesMax) {
        yield this.#piece(bytes.subarray(0, headBytesMax), false);
        bytes = bytes.subarray(headBytesMax);
      }
    }
    yield this.#piece(bytes, isLast);
  }

  #piece(bytes: Buffer, isLast: boolean): LinePiece {
    const place = this.#place;
    const head = this.#head === undefined ? bytes.toString('latin1') : undefined;
    this.#head ??= head;
    if (isLast) this.#endLine(this.#head ?? '');
    return { bytes, head, isLast, place };
  }

  #endLine(head: string): void {
    if (this.#place === 'outside' && head.startsWith(table)) this.contents.tables++;
    if (this.#place !== 'body' && modeLine.test(head)) this.#hasNoEscapes = noEscapes.test(head);
    if (this.#place === 'outside') this.#place = head === bodiesBegin ? 'statement' : 'outside';
    else if (this.#place === 'statement' && head === bodiesEnd) this.#place = 'outside';
    else this.#place = this.#isEnded ? 'statement' : 'body';
    this.#head = undefined;
    this.#column = this.#depth = this.#recent = 0;
    this.#isInsert = this.#place === 'outside';
    this.#isRowNext = this.#isEnded = false;
    if (this.#comment === 'line') this.#comment = 'none';
  }

  /** The index after the line break that ends the line, or -1. */
  #lineEnd(chunk: Buffer, from: number): number {
    if (this.#place !== 'outside') return this.#bodyLineEnd(chunk, from);
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#column < insertBytes.length) this.#recognize(byte);
      if (this.#comment === 'line') {
        const end = chunk.indexOf(code.line, at);
        return end < 0 ? -1 : end + 1;
      }
      // A list of columns may precede the rows. It begins with a name.
      if (this.#isRowNext && byte !== code.backtick) this.contents.rows++;
      this.#isRowNext = false;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#quote !== 0) {
        if (byte === this.#quote) this.#quote = 0;
        else if (byte === code.backslash && this.#quote === code.quote) this.#isEscaped = true;
      } else if (byte === code.quote || byte === code.backtick) this.#quote = byte;
      else if (byte === code.line) return at + 1;
      else if (this.#isInsert && byte === code.open) this.#isRowNext = this.#depth++ === 0;
      else if (this.#isInsert && byte === code.close) this.#depth--;
    }
    return -1;
  }

  /** Compares the first bytes of a line with those of an INSERT and of a comment. */
  #recognize(byte: number): void {
    if (byte !== insertBytes[this.#column]) this.#isInsert = false;
    this.#recent = (this.#recent << 8) | byte;
    if (this.#column === 1 && this.#recent === pairs.dashes) this.#comment = 'line';
    this.#column++;
  }

  #bodyLineEnd(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      this.#recent = ((this.#recent << 8) | byte) & 0xffffff;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#quote !== 0) this.#takeQuoted(byte);
      else if (this.#comment === 'none') this.#takeCode(byte);
      else if (this.#comment !== 'line') this.#takeBlockComment(byte);
      if (byte === code.line) return at + 1;
    }
    return -1;
  }

  #takeQuoted(byte: number): void {
    const escapes = this.#quote !== code.backtick && !this.#hasNoEscapes;
    if (byte === this.#quote) this.#quote = 0;
    else if (byte === code.backslash && escapes) this.#isEscaped = true;
  }

  #takeCode(byte: number): void {
    const pair = this.#recent & 0xffff;
    // Two dashes begin a comment only if a blank follows.
    const isDashes = this.#recent >> 8 === pairs.dashes && byte <= code.blank;
    if (byte === code.quote || byte === code.double || byte === code.backtick) this.#quote = byte;
    else if (byte === code.hash || isDashes) this.#comment = 'line';
    else if (pair === pairs.commentBegins) this.#comment = 'opened';
    else if (pair === pairs.semicolons) this.#isEnded = true;
    else if (byte > code.blank) this.#isEnded = false;
  }

  /** MySQL runs the text of a comment that begins with an exclamation mark. */
  #takeBlockComment(byte: number): void {
    const isCode = this.#comment === 'opened' && byte === code.exclamation;
    const hasEnded = this.#comment === 'block' && (this.#recent & 0xffff) === pairs.commentEnds;
    this.#comment = isCode || hasEnded ? 'none' : 'block';
  }
}

/** Avoids a copy when there is only one piece. */
export function joined(pieces: Buffer[]): Buffer {
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
}
