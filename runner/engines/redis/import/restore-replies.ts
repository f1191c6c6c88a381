/** Reads the target's replies to RESTORE: counts them, and finds the refused key. */
import type { ExpiryCounts } from './expiry-counts.ts';
import { Queue } from './queue.ts';
import { ReplyLines } from './reply-lines.ts';

/** The target refused a value. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
  readonly key: Buffer;

  /** @param words the error of Redis */
  constructor(key: Buffer, words: string) {
    super(words);
    this.key = key;
  }
}

export class RestoreReplies {
  readonly #expiries: ExpiryCounts;
  readonly #sent = new Queue<{ key: Buffer; expiresAt: number }>();
  readonly #lines = new ReplyLines();
  #restored = 0;
  #held: number | undefined;

  constructor(expiries: ExpiryCounts) {
    this.#expiries = expiries;
  }

  /** Keys that were accepted. */
  get restored(): number {
    return this.#restored;
  }

  /** The keys in the target; known once DBSIZE, the last command, was answered. */
  get held(): number | undefined {
    return this.#held;
  }

  sent(key: Buffer, expiresAt: number): void {
    this.#sent.push({ key, expiresAt });
  }

  /** @throws RestoreRefused */
  read(chunk: Buffer): void {
    this.#lines.add(chunk);
    for (let line = this.#lines.line('utf8'); line !== undefined; line = this.#lines.line('utf8'))
      this.#line(line);
  }

  #line(line: string): void {
    const sent = this.#sent.shift();
    if (!sent) {
      if (!line.startsWith(':')) throw new Error(line);
      this.#held = Number(line.slice(1));
      return;
    }
    // SCAN may return a key twice. The first copy is kept.
    if (line.startsWith('-BUSYKEY')) return;
    if (line !== '+OK') throw new RestoreRefused(sent.key, line.slice(1));
    this.#restored += 1;
    this.#expiries.add(sent.expiresAt);
  }
}
