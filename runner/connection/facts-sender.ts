/** Reports the host's facts: in the hello, and later if they have changed (Docker was updated, the firewall is missing) or its clock was set. */
import { protocolVersion, type RunnerFrame } from '../../protocol/frames.ts';
import type { RunnerFacts } from '../../protocol/runner-facts.ts';
import type { Clock } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import { WokenLoop } from './woken-loop.ts';

export interface FactsSenderParts {
  /** @param dockerLimitMs time limit for Docker's answer */
  measure: (dockerLimitMs: number) => Promise<RunnerFacts>;
  send: (frame: RunnerFrame) => boolean;
  clock: Clock;
  logger: Logger;
}

/** A change is reported at most this late. */
const intervalMs = 60_000;
/** The clock of a synchronized host moves by less between two checks. */
const jumpMs = 5_000;
/** An upgrade writes its result after it has seen the connection. */
const settleMs = 3_000;
/** The hello must be sent within 10 s; Docker may take at most this much of it. */
const helloDockerLimitMs = 2_000;
const dockerLimitMs = 30_000;

export class FactsSender {
  readonly #parts: FactsSenderParts;
  readonly #loop: WokenLoop;
  #sent = '';
  /** The difference between the clock and the monotonic clock when the facts were last sent. */
  #sentOffset = 0;
  #isNew = false;
  #trouble: string | null = null;

  constructor(parts: FactsSenderParts) {
    this.#parts = parts;
    const work = async () => {
      await this.#measureAndSend();
      if (this.#isNew) this.#loop.soon();
      this.#isNew = false;
    };
    this.#loop = new WokenLoop({ work, clock: parts.clock, intervalMs, settleMs });
  }

  async hello(): Promise<RunnerFacts> {
    const facts = await this.#parts.measure(helloDockerLimitMs);
    this.#sent = JSON.stringify(facts);
    this.#sentOffset = this.#offset();
    return facts;
  }

  /** Measures again at once, because Docker may have been too slow for the hello, and once more when an upgrade has written its result. */
  connected(): void {
    this.#isNew = true;
    this.#loop.now();
  }

  /** @param trouble the reason why the host does no work; a change is reported at once */
  changed(trouble: string | null): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.#loop.now();
  }

  stop(): void {
    this.#loop.stop();
  }

  async #measureAndSend(): Promise<void> {
    const { measure, send, clock, logger } = this.#parts;
    try {
      const facts = await measure(dockerLimitMs);
      const text = JSON.stringify(facts);
      const offset = this.#offset();
      const hasJumped = Math.abs(offset - this.#sentOffset) > jumpMs;
      if ((text === this.#sent && !hasJumped) || this.#loop.isStopped) return;
      if (!send({ v: protocolVersion, type: 'facts', facts, sentAt: clock.now() })) return;
      this.#sent = text;
      this.#sentOffset = offset;
    } catch (error) {
      logger.warn(`could not measure the facts of the host: ${messageOf(error)}`);
    }
  }

  #offset(): number {
    const { clock } = this.#parts;
    return clock.now() - clock.elapsed();
  }
}
