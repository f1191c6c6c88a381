/**
 * Splits the output of `mysqldump` into lines of any length. Line breaks in strings are written as `\n`, so the first bytes of a line tell
 * what it is. Bodies of routines and triggers are between the two lines below.
 */

export const bodiesBegin = 'DELIMITER ;;\n';
export const bodiesEnd = 'DELIMITER ;\n';

const lineBreak = 10;
const nothing = Buffer.alloc(0);

export interface LinePiece {
  bytes: Buffer;
  /** The beginning of a line as text; undefined for later pieces. A line shorter than `headBytesMax` comes in one piece. */
  head: string | undefined;
  /** The piece ends with the line break. */
  isLast: boolean;
}

export class DumpLines {
  readonly #headBytesMax: number;
  #rest: Buffer = nothing;
  #hasBegun = false;

  constructor(headBytesMax: number) {
    this.#headBytesMax = headBytesMax;
  }

  /** The beginning of a line that is not yet long enough for a piece. */
  get rest(): Buffer {
    return this.#rest;
  }

  *pieces(chunk: Buffer): Generator<LinePiece> {
    for (let at = 0; at < chunk.length; ) {
      const found = chunk.indexOf(lineBreak, at);
      const lineEnd = found < 0 ? chunk.length : found + 1;
      const isHead = !this.#hasBegun;
      const room = isHead ? this.#headBytesMax - this.#rest.length : Number.POSITIVE_INFINITY;
      const end = Math.min(lineEnd, at + room);
      const piece = chunk.subarray(at, end);
      const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
      at = end;
      const isLast = found >= 0 && end === lineEnd;
      const isShort = isHead && !isLast && bytes.length < this.#headBytesMax;
      this.#rest = isShort ? bytes : nothing;
      if (isShort) return;
      this.#hasBegun = !isLast;
      yield { bytes, head: isHead ? bytes.toString('latin1') : undefined, isLast };
    }
  }
}

/** Avoids a copy when there is only one piece. */
export function joined(pieces: Buffer[]): Buffer {
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
}
