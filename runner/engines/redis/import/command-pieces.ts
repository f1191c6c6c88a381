const blockBytes = 64 * 1024;
/**
 * Larger values are passed on without a copy; smaller ones are collected, since each piece that is sent adds to the cost of a system call.
 */
const copiedBytesMax = 8 * 1024;

/** Builds the bytes of commands. */
export class CommandPieces {
  readonly #pieces: Buffer[] = [];
  #block = Buffer.alloc(0);
  #used = 0;

  /** Each character must be one byte. */
  text(text: string): void {
    this.#reserve(text.length);
    this.#used += this.#block.write(text, this.#used, 'latin1');
  }

  bytes(bytes: Buffer): void {
    if (bytes.length > copiedBytesMax) {
      this.#close();
      this.#pieces.push(bytes);
      return;
    }
    this.#reserve(bytes.length);
    this.#used += bytes.copy(this.#block, this.#used);
  }

  /** A word of a command: its length, then its bytes. */
  word(word: Buffer): void {
    this.text(`$${word.length}\r\n`);
    this.bytes(word);
    this.text('\r\n');
  }

  take(): Buffer[] {
    this.#close();
    return this.#pieces.splice(0);
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#block.length) return;
    this.#close();
    this.#block = Buffer.allocUnsafe(blockBytes);
  }

  #close(): void {
    if (this.#used > 0) this.#pieces.push(this.#block.subarray(0, this.#used));
    this.#block = this.#block.subarray(this.#used);
    this.#used = 0;
  }
}
