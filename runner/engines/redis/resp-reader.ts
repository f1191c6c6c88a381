/**
 * Reads Redis replies as they arrive: RESP3, https://redis.io/docs/latest/develop/reference/protocol-spec/. A driver reads a reply
 * completely into memory before it returns it, however large it is. This reader reads no byte beyond its limit.
 */

export type Reply =
  | { type: 'string'; value: Buffer }
  /** The value as text: integers have 64 bits, and big numbers any length. */
  | { type: 'integer' | 'double' | 'error'; value: string }
  | { type: 'boolean'; value: boolean }
  | { type: 'null' }
  | { type: 'array' | 'set'; items: Reply[] }
  | { type: 'map'; entries: [Reply, Reply][] };

export interface ReplyCaps {
  /** The items of the outermost list, set or map. */
  itemsMax: number;
  bytesMax: number;
}

export interface CappedReply {
  reply: Reply;
  /** There is more. The connection is in the middle of the reply and can't be used again. */
  truncated: boolean;
}

/** The rest of the reply is larger than the limit. */
export class ReplyTooLarge extends Error {
  override readonly name = 'ReplyTooLarge';
}

/** The bytes that may still be read, for one reply or for several together. */
export interface Budget {
  bytesLeft: number;
}

/** Redis nests its own replies up to four levels. */
const depthMax = 32;
/** A line is a type and a number, or an error sentence, which is the longest kind. */
const lineBytesMax = 64 * 1024;

const stringMark = '$'.charCodeAt(0);

export class RespReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterator<Buffer>) {
    this.#chunks = chunks;
  }

  /** @throws ReplyTooLarge */
  reply(budget: Budget): Promise<Reply> {
    return this.#reply(budget, 0);
  }

  /** The part of a reply that fits: whole items of a list. A single value is returned completely or as an empty list. */
  async cappedReply(caps: ReplyCaps): Promise<CappedReply> {
    const budget = { bytesLeft: caps.bytesMax };
    const { type, text } = await this.#head(budget);
    const items: Reply[] = [];
    const collected: Reply = type === '~' ? { type: 'set', items } : { type: 'array', items };
    const entries: [Reply, Reply][] = [];
    try {
      if (type === '%') {
        for (let left = Number(text); left > 0; left--) {
          if (entries.length === caps.itemsMax) throw new ReplyTooLarge();
          entries.push([await this.#reply(budget, 1), await this.#reply(budget, 1)]);
        }
        return { reply: { type: 'map', entries }, truncated: false };
      }
      if ((type === '*' || type === '~') && text !== '-1') {
        for (let left = Number(text); left > 0; left--) {
          if (items.length === caps.itemsMax) throw new ReplyTooLarge();
          items.push(await this.#reply(budget, 1));
        }
        return { reply: collected, truncated: false };
      }
      return { reply: await this.#body(type, text, budget, 0), truncated: false };
    } catch (error) {
      if (!(error instanceof ReplyTooLarge)) throw error;
      return { reply: type === '%' ? { type: 'map', entries } : collected, truncated: true };
    }
  }

  async #reply(budget: Budget, depth: number): Promise<Reply> {
    const { type, text } = await this.#head(budget);
    return this.#body(type, text, budget, depth);
  }

  async #head(budget: Budget): Promise<{ type: string; text: string }> {
    const line = await this.#line(budget);
    return { type: line.slice(0, 1), text: line.slice(1) };
  }

  async #body(type: string, text: string, budget: Budget, depth: number): Promise<Reply> {
    if (depth > depthMax) throw new Error('a reply of Redis is nested too deep');
    const size = Number(text);
    const items = async (count: number) => {
      const read: Reply[] = [];
      while (read.length < count)
        read.push(this.#stringAtHand(budget) ?? (await this.#reply(budget, depth + 1)));
      return read;
    };
    switch (type) {
      case '+':
        return { type: 'string', value: Buffer.from(text, 'latin1') };
      case '$':
        return size < 0 ? { type: 'null' } : { type: 'string', value: await this.#bytes(size, budget) };
      case '=': // verbatim text: begins with three letters and a colon
        return { type: 'string', value: (await this.#bytes(size, budget)).subarray(4) };
      case ':':
      case '(':
        return { type: 'integer', value: text };
      case ',':
        return { type: 'double', value: text };
      case '#':
        return { type: 'boolean', value: text === 't' };
      case '_':
        return { type: 'null' };
      case '-':
        return { type: 'error', value: Buffer.from(text, 'latin1').toString() };
      case '!':
        return { type: 'error', value: (await this.#bytes(size, budget)).toString() };
      case '*':
        return size < 0 ? { type: 'null' } : { type: 'array', items: await items(size) };
      case '~':
        return { type: 'set', items: await items(size) };
      case '%': {
        const flat = await items(2 * size);
        const entries = Array.from({ length: size }, (_, at) => flat.slice(2 * at, 2 * at + 2));
        return { type: 'map', entries: entries as [Reply, Reply][] };
      }
      case '>': // a push message comes before the reply itself
        await items(size);
        return this.#reply(budget, depth + 1);
      case '|': // attributes come before the reply itself
        await items(2 * size);
        return this.#reply(budget, depth + 1);
      default:
        throw new Error('the server that answers is not Redis');
    }
  }

  /** Returns a complete string without a promise for each item, for long lists. */
  #stringAtHand(budget: Budget): Reply | undefined {
    const bytes = this.#rest;
    if (bytes[0] !== stringMark) return undefined;
    const head = bytes.indexOf('\r\n');
    const size = head < 0 ? -1 : Number(bytes.toString('latin1', 1, head));
    const end = head + 2 + size;
    if (size < 0 || bytes.length < end + 2) return undefined;
    spend(budget, end + 2);
    this.#rest = bytes.subarray(end + 2);
    return { type: 'string', value: bytes.subarray(head + 2, end) };
  }

  async #line(budget: Budget): Promise<string> {
    let end = this.#rest.indexOf('\r\n');
    while (end < 0) {
      if (this.#rest.length > lineBytesMax) throw new Error('the server that answers is not Redis');
      this.#rest = Buffer.concat([this.#rest, await this.#chunk()]);
      end = this.#rest.indexOf('\r\n');
    }
    spend(budget, end + 2);
    const line = this.#rest.toString('latin1', 0, end);
    this.#rest = this.#rest.subarray(end + 2);
    return line;
  }

  async #bytes(size: number, budget: Budget): Promise<Buffer> {
    spend(budget, size + 2);
    const parts: Buffer[] = [];
    let missing = size + 2;
    while (missing > 0) {
      if (this.#rest.length === 0) this.#rest = await this.#chunk();
      const part = this.#rest.subarray(0, missing);
      parts.push(part);
      missing -= part.length;
      this.#rest = this.#rest.subarray(part.length);
    }
    return Buffer.concat(parts).subarray(0, size);
  }

  async #chunk(): Promise<Buffer> {
    const { value, done } = await this.#chunks.next();
    if (done) throw new Error('Redis closed the connection');
    return value;
  }
}

function spend(budget: Budget, bytes: number): void {
  if (!(bytes <= budget.bytesLeft)) throw new ReplyTooLarge();
  budget.bytesLeft -= bytes;
}
