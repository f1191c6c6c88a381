/**
 * Finds the WebSocket frames in one direction of a connection (RFC 6455, section 5.2), so that a frame can be duplicated.
 * Data before the upgrade's blank line, and connections other than WebSockets, pass unchanged.
 */
const textOpcode = 1;
const upgraded = /^(GET [^\r\n]* HTTP\/1\.1\r\n[\s\S]*upgrade: *websocket|HTTP\/1\.1 101)/i;

export class WholeFrames {
  readonly #doubles: () => boolean;
  #state: 'head' | 'frames' | 'plain' = 'head';
  #rest: Buffer = Buffer.alloc(0);

  constructor(doubles: () => boolean) {
    this.#doubles = doubles;
  }

  /** @returns the bytes to send now; bytes of an unfinished frame are kept */
  pass(chunk: Buffer): Buffer {
    if (this.#state === 'plain') return chunk;
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const out = this.#state === 'head' ? [this.#takeHead()] : [];
    if (this.#state === 'frames') out.push(...this.#takeFrames());
    return Buffer.concat(out);
  }

  #takeHead(): Buffer {
    const end = this.#rest.indexOf('\r\n\r\n');
    if (end === -1) return Buffer.alloc(0);
    const isUpgrade = upgraded.test(this.#rest.subarray(0, end).toString('latin1'));
    this.#state = isUpgrade ? 'frames' : 'plain';
    return this.#take(isUpgrade ? end + 4 : this.#rest.length);
  }

  *#takeFrames(): Generator<Buffer> {
    for (;;) {
      const length = frameLength(this.#rest);
      if (length === undefined || length > this.#rest.length) return;
      const frame = this.#take(length);
      yield frame;
      const isWhole = frame.readUInt8(0) === (0x80 | textOpcode);
      if (isWhole && this.#doubles()) yield frame;
    }
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }
}

/** Length of the frame that begins here, including its head; undefined until its head is complete. */
function frameLength(bytes: Buffer): number | undefined {
  if (bytes.length < 2) return undefined;
  const second = bytes.readUInt8(1);
  const maskBytes = second & 0x80 ? 4 : 0;
  const short = second & 0x7f;
  if (short < 126) return 2 + maskBytes + short;
  if (short === 126) return bytes.length < 4 ? undefined : 4 + maskBytes + bytes.readUInt16BE(2);
  return bytes.length < 10 ? undefined : 10 + maskBytes + Number(bytes.readBigUInt64BE(2));
}
