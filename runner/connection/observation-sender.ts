/** Tells the hub what runs on the host: after each connect, and when it has changed. */
import { protocolVersion, type RunnerFrame } from '../../protocol/frames.ts';
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import type { ObservedService } from '../host/observe.ts';

export interface ObservationSenderParts {
  observe: () => Promise<ObservedService[]>;
  send: (frame: RunnerFrame) => boolean;
  clock: Clock;
  logger: Logger;
}

/** What Docker does not tell (a port that no longer answers) is seen this late at most. */
const pollIntervalMs = 15_000;
/** Several changes of one moment make one look. */
const settleMs = 250;

export class ObservationSender {
  readonly #parts: ObservationSenderParts;
  readonly #stopping = new AbortController();
  #sent: string | undefined;
  #wake = new AbortController();
  #looping = false;
  #failure = '';

  constructor(parts: ObservationSenderParts) {
    this.#parts = parts;
  }

  /** A new connection: the hub is told whatever it knew. */
  connected(): void {
    this.#sent = undefined;
    this.#wake.abort('connected');
    if (!this.#looping) void this.#loop();
  }

  /** Something has changed on the host: looks now instead of at the next round. */
  changed(): void {
    this.#wake.abort('changed');
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #loop(): Promise<void> {
    this.#looping = true;
    const { clock } = this.#parts;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#wake = new AbortController();
      await this.#look();
      await pause(clock, pollIntervalMs, AbortSignal.any([signal, this.#wake.signal]));
      if (this.#wake.signal.reason === 'changed') await pause(clock, settleMs, signal);
    }
  }

  async #look(): Promise<void> {
    const { observe, send, logger } = this.#parts;
    try {
      const services = (await observe()).sort((a, b) => a.serviceId.localeCompare(b.serviceId));
      this.#failure = '';
      const text = JSON.stringify(services);
      if (text === this.#sent || this.#stopping.signal.aborted) return;
      if (send({ v: protocolVersion, type: 'observed', services })) this.#sent = text;
    } catch (error) {
      const failure = messageOf(error);
      if (failure !== this.#failure) logger.warn(`what runs on the host could not be seen: ${failure}`);
      this.#failure = failure;
    }
  }
}
