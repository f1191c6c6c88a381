/** Reads Redis replies line by line as they arrive. Between two lines, the bytes of a value can be read. */

const lineEnd = 0x0a;

export class ReplyLines {
  #bytes: Buffer = Buffer.alloc(0);
  /** The bytes before this position have been read. */
  #at = 0;

  /** The number of bytes that have arrived but not been read. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  add(chunk: Buffer): void {
    this.#bytes = this.length === 0 ? chunk : Buffer.concat([this.#bytes.subarray(this.#at), chunk]);
    this.#at = 0;
  }

  /** The next line without its line end; `undefined` if it has not arrived completely. */
  line(encoding: 'latin1' | 'utf8'): string | undefined {
    const end = this.#bytes.indexOf(lineEnd, this.#at);
    if (end < 0) return undefined;
    const line = this.#bytes.toString(encoding, this.#at, end - 1);
    this.#at = end + 1;
    return line;
  }

  /** The next bytes, at most as many as requested and arrived. */
  bytes(countMax: number): Buffer {
    const taken = this.#bytes.subarray(this.#at, this.#at + countMax);
    this.#at += taken.length;
    return taken;
  }
}
