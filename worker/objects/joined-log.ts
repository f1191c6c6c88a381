/**
 * Frames of one log on their way to its object: one call at a time, and what comes meanwhile shares the next one. A call between objects is
 * billed like a request, however many lines it carries.
 */
import { type LogLine, sizeOfLines } from '../../protocol/frames.ts';
import type { LogReceipt, LogStreamCalls } from '../gateways/object-calls.ts';

export type LogTarget = Pick<LogStreamCalls, 'append'> | null;

interface Call {
  first: number;
  lines: LogLine[];
  last: boolean;
  chars: number;
  receipt: PromiseWithResolvers<LogReceipt>;
}

/** A call that has this much text takes no more frames. */
const callCharsMax = 256 * 1024;

export class JoinedLog {
  readonly #target: Promise<LogTarget>;
  /** The last one may still take frames. */
  readonly #waiting: Call[] = [];
  #isSending = false;

  /** @param target null: the lines have no destination, and are acknowledged and dropped */
  constructor(target: Promise<LogTarget>) {
    this.#target = target;
  }

  /** As LogStreamCalls.append; `through` may already cover later frames. @throws what the log's object throws */
  append(first: number, lines: readonly LogLine[], last: boolean): Promise<LogReceipt> {
    const chars = sizeOfLines(lines);
    const open = this.#waiting.at(-1);
    if (open && !open.last && open.chars < callCharsMax && first === open.first + open.lines.length) {
      open.lines.push(...lines);
      open.chars += chars;
      open.last = last;
      return open.receipt.promise;
    }
    const call = { first, lines: [...lines], last, chars, receipt: Promise.withResolvers<LogReceipt>() };
    this.#waiting.push(call);
    if (!this.#isSending) void this.#send();
    return call.receipt.promise;
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    const target = await this.#target.catch((error: unknown) => ({ append: () => Promise.reject(error) }));
    for (let call = this.#waiting.shift(); call; call = this.#waiting.shift()) {
      const { first, lines, last, receipt } = call;
      const dropped = { through: first + lines.length - 1, watched: false };
      await (target ? target.append(first, lines, last) : Promise.resolve(dropped)).then(
        receipt.resolve,
        receipt.reject,
      );
    }
    this.#isSending = false;
  }
}
