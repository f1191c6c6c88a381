/** Reports the alerts of this host to a control plane that takes them: all of them after each connect, and when they change. */
import { protocolVersion, type RunnerFrame } from '../../protocol/frames.ts';
import type { FiringAlert } from '../../protocol/metrics/alerts.ts';

export class AlertSender {
  readonly #send: (frame: RunnerFrame) => boolean;
  #firing: FiringAlert[] | undefined;
  #isTaken = false;
  #sent = '';

  constructor(send: (frame: RunnerFrame) => boolean) {
    this.#send = send;
  }

  /** @param isTaken whether this control plane knows the frame */
  connected(isTaken: boolean): void {
    this.#isTaken = isTaken;
    this.#sent = '';
    this.#pass();
  }

  /** @param firing undefined: it is too soon after the start to tell */
  changed(firing: FiringAlert[] | undefined): void {
    this.#firing = firing;
    this.#pass();
  }

  #pass(): void {
    if (!this.#isTaken || !this.#firing) return;
    // The numbers of an alert are those of its begin: they do not change while it lasts.
    const firing = this.#firing.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
    const text = JSON.stringify(firing);
    if (text === this.#sent) return;
    if (this.#send({ v: protocolVersion, type: 'alerts', firing })) this.#sent = text;
  }
}

const nameOf = ({ rule, serviceId }: FiringAlert) => `${serviceId ?? ''} ${rule}`;
