/** CRC-64 as in archives of `mongodump`: ECMA-182's polynomial, reflected (as in ISO 3309, XZ and Go's `crc64.ECMA`). */

/** Reflected; the lower and the upper 32 bits. */
const polynomial = { low: 0xd7870f42, high: 0xc96c5795 };
/** The bytes processed in one step. Each has its own lookup table. */
const stride = 8;

const tables = makeTables();

/** Uses two 32-bit halves, since a JavaScript number can't hold 64 bits exactly. */
export class Crc64 {
  #low = -1;
  #high = -1;

  update(bytes: Uint8Array): void {
    const { low: lows, high: highs } = tables;
    let low = this.#low;
    let high = this.#high;
    let at = 0;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (const end = bytes.length - stride; at <= end; at += stride) {
      const one = low ^ view.getInt32(at, true);
      const other = high ^ view.getInt32(at + 4, true);
      low = eightOf(lows, one, other);
      high = eightOf(highs, one, other);
    }
    for (; at < bytes.length; at++) {
      const place = (low ^ (bytes[at] ?? 0)) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ (lows[place] ?? 0);
      high = (high >>> 8) ^ (highs[place] ?? 0);
    }
    this.#low = low;
    this.#high = high;
  }

  /** The checksum of all bytes so far, signed as in BSON. */
  get value(): bigint {
    const high = BigInt(~this.#high >>> 0);
    return BigInt.asIntN(64, (high << 32n) | BigInt(~this.#low >>> 0));
  }
}

/** Combines eight bytes. Each byte has its own table, chosen by the number of bytes after it. */
function eightOf(table: Int32Array, one: number, other: number): number {
  return (
    (table[0x700 | (one & 0xff)] as number) ^
    (table[0x600 | ((one >>> 8) & 0xff)] as number) ^
    (table[0x500 | ((one >>> 16) & 0xff)] as number) ^
    (table[0x400 | (one >>> 24)] as number) ^
    (table[0x300 | (other & 0xff)] as number) ^
    (table[0x200 | ((other >>> 8) & 0xff)] as number) ^
    (table[0x100 | ((other >>> 16) & 0xff)] as number) ^
    (table[other >>> 24] as number)
  );
}

/** Table n: the effect of a byte that is followed by n more bytes. */
function makeTables() {
  const low = new Int32Array(stride * 256);
  const high = new Int32Array(stride * 256);
  for (let byte = 0; byte < 256; byte++) {
    let [lower, upper] = [byte, 0];
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = (lower & 1) !== 0;
      lower = (lower >>> 1) | (upper << 31);
      upper >>>= 1;
      if (isOdd) {
        lower ^= polynomial.low;
        upper ^= polynomial.high;
      }
    }
    low[byte] = lower;
    high[byte] = upper;
  }
  for (let place = 256; place < stride * 256; place++) {
    const [lower, upper] = [low[place - 256] ?? 0, high[place - 256] ?? 0];
    const next = lower & 0xff;
    low[place] = ((lower >>> 8) | (upper << 24)) ^ (low[next] ?? 0);
    high[place] = (upper >>> 8) ^ (high[next] ?? 0);
  }
  return { low, high };
}
