/**
 * Converts a source's replies to the expiry command and to DUMP, key by key, to RESTORE commands for the target. Values pass through in the
 * pieces in which they arrive, so a value of 500 MB needs no more memory than a small one.
 * https://redis.io/docs/latest/develop/reference/protocol-spec/ (RESP2), https://redis.io/docs/latest/commands/restore/
 */
import type { AskedKeys } from './asked-keys.ts';
import { CommandPieces } from './command-pieces.ts';
import { refusedBy } from './refused-by.ts';
import { ReplyLines } from './reply-lines.ts';

/** `PEXPIRETIME` (since version 7) returns the time of expiry, `PTTL` the time left. */
export type ExpiryCommand = 'PEXPIRETIME' | 'PTTL';

/** Called for each sent RESTORE. @param expiresAt in ms of the epoch; 0 for never */
export type Restored = (key: Buffer, expiresAt: number) => void;

/** Both commands reply with these numbers for a missing key and for a key without expiry. */
const gone = -2;
const forever = -1;
/** A line is a type and a number, or an error sentence, which is the longest kind. */
const lineBytesMax = 64 * 1024;

/** Builds the requests for keys, in the order in which the replies are read. */
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
  /** The expiry of the key whose value is next: ms of the epoch, `forever` or `gone`; `undefined` if its own reply is next. */
  #expires: number | undefined;
  /** The bytes of the current value that have not arrived yet, including the line end after it. */
  #missing = 0;
  #isWanted = false;
  #isEnded = false;

  constructor(asked: AskedKeys, { expiry, restored }: { expiry: ExpiryCommand; restored: Restored }) {
    this.#asked = asked;
    this.#expiry = expiry;
    this.#restored = restored;
  }

  /** True after the reply that follows the replies for all requested keys. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The commands for the replies so far. @throws EngineError, ImportRefusal when the source refuses */
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

  /** @param bytes of the value; negative: the key no longer exists */
  #begin(bytes: number): void {
    const key = this.#asked.answered(Math.max(bytes, 0));
    const expires = this.#expires ?? gone;
    this.#expires = undefined;
    if (bytes < 0) return;
    this.#missing = bytes + 2;
    // A key that was missing a moment ago is new, and its expiry is unknown.
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

const noRedis = () => new Error('the server that answers is not Redis');
