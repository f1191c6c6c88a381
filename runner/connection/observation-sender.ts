/** Reports the services that run on the host to the hub: after each connect, and when they change. */
import { protocolVersion, type RunnerFrame } from '../../protocol/frames.ts';
import type { Clock } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import type { ObservedService } from '../host/observe.ts';
import { WokenLoop } from './woken-loop.ts';

export interface ObservationSenderParts {
  observe: () => Promise<ObservedService[]>;
  send: (frame: RunnerFrame) => boolean;
  clock: Clock;
  logger: Logger;
}

/** Changes without a Docker event (such as a port that stops answering) are noticed at most this late. */
const pollIntervalMs = 15_000;
/** A host on which containers start and end all the time must report, too. */
const staleMax = 5;
/** Changes within this time are observed together. */
const settleMs = 250;

export class ObservationSender {
  readonly #parts: ObservationSenderParts;
  readonly #loop: WokenLoop;
  #sent: string | undefined;
  /** The number of changes reported to this object. */
  #changes = 0;
  /** Lists in a row that were not sent. */
  #stale = 0;
  #failure = '';

  constructor(parts: ObservationSenderParts) {
    this.#parts = parts;
    const { clock } = parts;
    this.#loop = new WokenLoop({
      work: () => this.#observeAndSend(),
      clock,
      intervalMs: pollIntervalMs,
      settleMs,
    });
  }

  /** A new connection sends the full list, even if the hub had it before. */
  connected(): void {
    this.#sent = undefined;
    this.#changes += 1;
    this.#loop.now();
  }

  /** The host has changed: observes now instead of at the next poll. */
  changed(): void {
    this.#changes += 1;
    this.#loop.soon();
  }

  stop(): void {
    this.#loop.stop();
  }

  async #observeAndSend(): Promise<void> {
    const { observe, send, logger } = this.#parts;
    try {
      const before = this.#changes;
      const services = (await observe()).sort((a, b) => a.serviceId.localeCompare(b.serviceId));
      // A change in the meantime, such as the end of a job, may make this list wrong: the control plane would miss a service.
      if (this.#changes !== before && this.#stale < staleMax) {
        this.#stale += 1;
        return this.#loop.soon();
      }
      this.#stale = 0;
      this.#failure = '';
      const text = JSON.stringify(services);
      if (text === this.#sent || this.#loop.isStopped) return;
      if (send({ v: protocolVersion, type: 'observed', services })) this.#sent = text;
    } catch (error) {
      const failure = messageOf(error);
      if (failure !== this.#failure) logger.warn(`could not list what runs on the host: ${failure}`);
      this.#failure = failure;
    }
  }
}
