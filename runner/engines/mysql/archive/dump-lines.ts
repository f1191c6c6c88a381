/**
 * Splits what `mysqldump` writes into lines, however long they are. It writes a line break in a text as `\n`, so the first bytes of a line
 * tell what the line is. Bodies of routines and triggers stand between the two lines below.
 */

export const bodiesBegin = 'DELIMITER ;;\n';
export const bodiesEnd = 'DELIMITER ;\n';

const lineBreak = 10;
const nothing = Buffer.alloc(0);

export interface LinePiece {
  bytes: Buffer;
  /** The bytes as text when a line begins with them; a line shorter than `headBytesMax` comes whole. */
  head: string | undefined;
  /** They end with the line break. */
  isLast: boolean;
}

export class DumpLines {
  readonly #headBytesMax: number;
  #rest: Buffer = nothing;
  #hasBegun = false;

  constructor(headBytesMax: number) {
    this.#headBytesMax = headBytesMax;
  }

  /** The beginning of a line that is still too short to be a piece. */
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

/** Without a copy where there is only one. */
export function joined(pieces: Buffer[]): Buffer {
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
}
