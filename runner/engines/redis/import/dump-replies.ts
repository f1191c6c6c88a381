/**
 * Turns what a source answers to "when does this key expire" and DUMP, key by key, into RESTORE for the server that is filled. Values go
 * through in the pieces in which they come: of one of 500 MB no more is held than of a small one.
 * https://redis.io/docs/latest/develop/reference/protocol-spec/ (RESP2), https://redis.io/docs/latest/commands/restore/
 */
import type { AskedKeys } from './asked-keys.ts';
import { CommandPieces } from './command-pieces.ts';
import { refusedBy } from './refused-by.ts';
import { ReplyLines } from './reply-lines.ts';

/** `PEXPIRETIME` tells the moment (version 7), `PTTL` what is left. */
export type ExpiryCommand = 'PEXPIRETIME' | 'PTTL';

/** A RESTORE that was sent. @param expiresAt in ms of the epoch; 0: never */
export type Restored = (key: Buffer, expiresAt: number) => void;

/** Both answer so for a key that is not there, and for one that stays for good. */
const gone = -2;
const forever = -1;
/** A type and a number; error sentences are the longest. */
const lineBytesMax = 64 * 1024;

/** What asks for keys, in the order in which the replies are read. */
export class DumpRequests {
  readonly #pieces = new CommandPieces();
  readonly #words: string;

  constructor(expiry: ExpiryCommand) {
    this.#words = `*2\r\n$${expiry.length}\r\n${expiry}\r\n`;
  }

  commands(keys: readonly Buffer[]): Buffer[] {
    for (const key of keys) {
      this.#pieces.text(this.#words);
      this.#pieces.word(key);
      this.#pieces.text('*2\r\n$4\r\nDUMP\r\n');
      this.#pieces.word(key);
    }
    return this.#pieces.take();
  }
}

export class DumpReplies {
  readonly #asked: AskedKeys;
  readonly #expiry: ExpiryCommand;
  readonly #restored: Restored;
  readonly #pieces = new CommandPieces();
  readonly #lines = new ReplyLines();
  /** Moment in ms, `forever` or `gone`, of the key whose value comes next; undefined: its own reply comes first. */
  #expires: number | undefined;
  /** Bytes of the value at hand that have not come, with the end of line behind it. */
  #missing = 0;
  #isWanted = false;
  #isEnded = false;

  constructor(asked: AskedKeys, { expiry, restored }: { expiry: ExpiryCommand; restored: Restored }) {
    this.#asked = asked;
    this.#expiry = expiry;
    this.#restored = restored;
  }

  /** A reply came after those to all keys that were asked for. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The commands, as far as the replies have come. @throws EngineError, ImportRefusal when the source refuses */
  commands(chunk: Buffer): Buffer[] {
    this.#lines.add(chunk);
    while (this.#lines.length > 0) {
      if (this.#missing > 0) this.#pass(this.#lines.bytes(this.#missing));
      else {
        const line = this.#lines.line('latin1');
        if (line === undefined) break;
        this.#line(line);
      }
    }
    if (this.#lines.length > lineBytesMax) throw noRedis();
    return this.#pieces.take();
  }

  #line(line: string): void {
    if (this.#asked.length === 0) {
      this.#isEnded = true;
      return;
    }
    const isExpiry = this.#expires === undefined;
    if (line.startsWith('-'))
      throw refusedBy(isExpiry ? this.#expiry : 'DUMP', Buffer.from(line.slice(1), 'latin1').toString());
    if (!line.startsWith(isExpiry ? ':' : '$')) throw noRedis();
    const number = Number(line.slice(1));
    if (isExpiry) this.#expires = this.#expiry === 'PTTL' && number >= 0 ? Date.now() + number : number;
    else this.#begin(number);
  }

  /** @param bytes of the value; negative: the key is gone */
  #begin(bytes: number): void {
    const key = this.#asked.answered(Math.max(bytes, 0));
    const expires = this.#expires ?? gone;
    this.#expires = undefined;
    if (bytes < 0) return;
    this.#missing = bytes + 2;
    // One that was gone a moment ago is a new one, and its time is not known.
    this.#isWanted = expires !== gone;
    if (!this.#isWanted) return;
    const expiresAt = expires === forever ? 0 : expires;
    this.#pieces.text('*5\r\n$7\r\nRESTORE\r\n');
    this.#pieces.word(key);
    this.#pieces.text(`$${String(expiresAt).length}\r\n${expiresAt}\r\n$${bytes}\r\n`);
    this.#restored(key, expiresAt);
  }

  #pass(piece: Buffer): void {
    if (this.#isWanted) this.#pieces.bytes(piece);
    this.#missing -= piece.length;
    if (this.#missing === 0 && this.#isWanted) this.#pieces.text('$6\r\nABSTTL\r\n');
  }
}

const noRedis = () => new Error('what answers is no Redis');
