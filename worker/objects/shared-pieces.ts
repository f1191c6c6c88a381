/**
 * Text that several readers of a log get from the journal. Readers that fall behind have similar positions, and a piece is read from disk
 * and encoded once for all of them: with a hundred readers, doing that for each took most of the processor time, and prevented them from
 * catching up.
 */

/** The lines after `from`, as text. */
export interface Piece {
  /** Id of its last line. */
  last: number;
  text: Uint8Array;
}

/** Enough for the pieces in the windows of one log's readers at different positions. */
const keptBytesMax = 4 * 1024 * 1024;

export class SharedPieces {
  /** Keys are the id of the line before the piece. The oldest piece is first. */
  readonly #pieces = new Map<number, Piece>();
  #bytes = 0;

  /** @param make reads the piece; null if there are no lines after `from` */
  get(from: number, make: () => Piece | null): Piece | null {
    const kept = this.#pieces.get(from);
    if (kept) return kept;
    const piece = make();
    if (piece) this.#keep(from, piece);
    return piece;
  }

  clear(): void {
    this.#pieces.clear();
    this.#bytes = 0;
  }

  #keep(from: number, piece: Piece): void {
    this.#pieces.set(from, piece);
    this.#bytes += piece.text.byteLength;
    for (const [oldest, { text }] of this.#pieces) {
      if (this.#bytes <= keptBytesMax) return;
      this.#pieces.delete(oldest);
      this.#bytes -= text.byteLength;
    }
  }
}
