const blockBytes = 64 * 1024;
/** Larger ones are handed on as they are, smaller ones are gathered: each piece that is sent costs a system call's share. */
const copiedBytesMax = 8 * 1024;

/** Bytes of commands as they are put together. */
export class CommandPieces {
  readonly #pieces: Buffer[] = [];
  #block = Buffer.alloc(0);
  #used = 0;

  /** Of one byte a character. */
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

  /** A word of a command: its length, and it. */
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
