/** Reports the alerts of this host: all of them after each connect, and when they change. */
import { protocolVersion, type RunnerFrame } from '../../protocol/frames.ts';
import type { FiringAlert } from '../../protocol/metrics/alerts.ts';

export class AlertSender {
  readonly #send: (frame: RunnerFrame) => boolean;
  #firing: FiringAlert[] | undefined;
  #sent = '';

  constructor(send: (frame: RunnerFrame) => boolean) {
    this.#send = send;
  }

  connected(): void {
    this.#sent = '';
    this.#pass();
  }

  /** @param firing `undefined` if it is too soon after the start to know */
  changed(firing: FiringAlert[] | undefined): void {
    this.#firing = firing;
    this.#pass();
  }

  #pass(): void {
    if (!this.#firing) return;
    // An alert keeps the numbers of its beginning: they do not change while it lasts.
    const firing = this.#firing.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
    const text = JSON.stringify(firing);
    if (text === this.#sent) return;
    if (this.#send({ v: protocolVersion, type: 'alerts', firing })) this.#sent = text;
  }
}

const nameOf = ({ rule, serviceId }: FiringAlert) => `${serviceId ?? ''} ${rule}`;
