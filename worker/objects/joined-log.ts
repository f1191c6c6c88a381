/**
 * Frames of one log on their way to its object: one call at a time, and frames that arrive during a call share the next one. A call between
 * objects is billed like a request, for any number of lines.
 */
import { type LogLine, sizeOfLines } from '../../protocol/frames.ts';
import type { LogReceipt, LogStreamCalls } from '../gateways/object-calls.ts';

export type LogTarget = Pick<LogStreamCalls, 'append'> | null;

interface Call {
  first: number;
  lines: LogLine[];
  chars: number;
  receipt: PromiseWithResolvers<LogReceipt>;
}

/** A call with this much text accepts no more frames. */
const callCharsMax = 256 * 1024;
/** A runner resends unacknowledged lines after 15 s (runner/connection/log-sender), so a call has to end before that. */
export const callLimitMs = 10_000;
/** Text that may wait here for a slow log: several times a runner's window of 1 MiB. The hub keeps the frames of all jobs in memory. */
export const waitingCharsMax = 4 * 1024 * 1024;

/** The log did not accept lines in time, or too much text waits for it. */
class LogIsSlow extends Error {}

export class JoinedLog {
  readonly #target: Promise<LogTarget>;
  /** The last call may still accept frames. */
  readonly #waiting: Call[] = [];
  #isSending = false;

  /** @param target null if the lines have no destination: they are acknowledged and discarded */
  constructor(target: Promise<LogTarget>) {
    this.#target = target;
  }

  /**
   * As LogStreamCalls.append; `through` may already cover later frames.
   * @throws errors of the log's object. If it does not answer in 10 s, all waiting calls fail too, and the runner sends the lines again.
   *   The late call may still store its lines; the log then recognises the repeats.
   */
  append(first: number, lines: readonly LogLine[]): Promise<LogReceipt> {
    const chars = sizeOfLines(lines);
    const open = this.#waiting.at(-1);
    if (this.#waitingChars + chars > waitingCharsMax)
      return Promise.reject(new LogIsSlow('Too many lines wait for the log.'));
    if (open && open.chars < callCharsMax && first === open.first + open.lines.length) {
      open.lines.push(...lines);
      open.chars += chars;
      return open.receipt.promise;
    }
    const call = { first, lines: [...lines], chars, receipt: Promise.withResolvers<LogReceipt>() };
    this.#waiting.push(call);
    if (!this.#isSending) void this.#send();
    return call.receipt.promise;
  }

  get #waitingChars(): number {
    return this.#waiting.reduce((sum, { chars }) => sum + chars, 0);
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    for (let call = this.#waiting.shift(); call; call = this.#waiting.shift()) {
      try {
        call.receipt.resolve(await inTime(this.#store(call)));
      } catch (error) {
        call.receipt.reject(error);
        if (!(error instanceof LogIsSlow)) continue;
        for (const { receipt } of this.#waiting.splice(0)) receipt.reject(error);
      }
    }
    this.#isSending = false;
  }

  async #store({ first, lines }: Call): Promise<LogReceipt> {
    const target = await this.#target;
    return target ? target.append(first, lines) : { through: first + lines.length - 1, watched: false };
  }
}

/** @throws LogIsSlow after `callLimitMs` */
async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const error = new LogIsSlow(`The log did not answer within ${callLimitMs / 1000} s.`);
  const timer = setTimeout(() => late.reject(error), callLimitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
