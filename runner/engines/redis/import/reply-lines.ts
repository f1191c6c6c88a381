/** Replies of Redis as they come in, line by line. Between two lines the bytes of a value may be taken. */

const lineEnd = 0x0a;

export class ReplyLines {
  #bytes: Buffer = Buffer.alloc(0);
  /** What comes before was taken. */
  #at = 0;

  /** Bytes that came and were not taken. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  add(chunk: Buffer): void {
    this.#bytes = this.length === 0 ? chunk : Buffer.concat([this.#bytes.subarray(this.#at), chunk]);
    this.#at = 0;
  }

  /** The next line without its end; undefined when it has not come whole. */
  line(encoding: 'latin1' | 'utf8'): string | undefined {
    const end = this.#bytes.indexOf(lineEnd, this.#at);
    if (end < 0) return undefined;
    const line = this.#bytes.toString(encoding, this.#at, end - 1);
    this.#at = end + 1;
    return line;
  }

  /** The next bytes, as many as have come of those asked for. */
  bytes(countMax: number): Buffer {
    const taken = this.#bytes.subarray(this.#at, this.#at + countMax);
    this.#at += taken.length;
    return taken;
  }
}
