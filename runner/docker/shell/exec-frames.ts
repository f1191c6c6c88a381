/** Splits the output and errors of a command without a terminal, multiplexed by Docker: Engine API, "attach". */

/** Stream number, three zero bytes, length. */
const headerBytes = 8;
const errorsStream = 2;

/** Passes parts of a frame on as they arrive: a frame may be as long as its sender likes. */
export class ExecFrames {
  #header = Buffer.alloc(0);
  #isErrors = false;
  /** Bytes of the frame that have not arrived. */
  #left = 0;

  /** @returns the chunk's content, in order */
  *split(chunk: Buffer): Generator<{ isErrors: boolean; bytes: Buffer }> {
    for (let at = 0; at < chunk.length; ) {
      if (this.#left === 0) {
        const piece = chunk.subarray(at, at + headerBytes - this.#header.length);
        at += piece.length;
        this.#header = Buffer.concat([this.#header, piece]);
        if (this.#header.length < headerBytes) continue;
        this.#isErrors = this.#header.readUInt8(0) === errorsStream;
        this.#left = this.#header.readUInt32BE(4);
        this.#header = Buffer.alloc(0);
        continue;
      }
      const bytes = chunk.subarray(at, at + this.#left);
      at += bytes.length;
      this.#left -= bytes.length;
      yield { isErrors: this.#isErrors, bytes };
    }
  }
}
