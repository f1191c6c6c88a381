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
/** A runner sends what was not acknowledged again after 15 s (runner/connection/log-sender), so a call has to end before that. */
export const callLimitMs = 10_000;
/** Text that may wait here for a slow log: several times a runner's window of 1 MiB. The hub keeps the frames of all jobs in memory. */
export const waitingCharsMax = 4 * 1024 * 1024;

/** The log did not take lines in time, or has too many waiting. */
class LogIsSlow extends Error {}

export class JoinedLog {
  readonly #target: Promise<LogTarget>;
  /** The last one may still take frames. */
  readonly #waiting: Call[] = [];
  #isSending = false;

  /** @param target null: the lines have no destination, and are acknowledged and dropped */
  constructor(target: Promise<LogTarget>) {
    this.#target = target;
  }

  /**
   * As LogStreamCalls.append; `through` may already cover later frames.
   * @throws what the log's object throws. If it does not answer in 10 s, everything that waits for it fails too: the runner sends it again.
   *   The late call may still store its lines; the log then takes the repeated ones for what they are.
   */
  append(first: number, lines: readonly LogLine[], last: boolean): Promise<LogReceipt> {
    const chars = sizeOfLines(lines);
    const open = this.#waiting.at(-1);
    if (this.#waitingChars + chars > waitingCharsMax)
      return Promise.reject(new LogIsSlow('Too many lines wait for the log.'));
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

  async #store({ first, lines, last }: Call): Promise<LogReceipt> {
    const target = await this.#target;
    return target ? target.append(first, lines, last) : { through: first + lines.length - 1, watched: false };
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
