/** The services whose logs are being read: one tail per service, for any number of readers. */
import type { HubFrameOf } from '../../protocol/frames.ts';
import { RuntimeTail, type TailParts } from './runtime-tail.ts';

export interface RuntimeLogsParts extends Omit<TailParts, 'serviceId' | 'ended'> {
  /** True if the service's lines do not use the hub, so that a new control socket does not affect them. */
  hasOwnSocket?: (serviceId: string) => boolean;
  /** Nothing more will be sent of this service. */
  stopped?: (serviceId: string) => void;
}

export class RuntimeLogs {
  readonly #parts: RuntimeLogsParts;
  readonly #tails = new Map<string, RuntimeTail>();

  constructor(parts: RuntimeLogsParts) {
    this.#parts = parts;
  }

  tail({ serviceId, after, lines }: HubFrameOf<'tail'>): void {
    const following = this.#tails.get(serviceId);
    if (following) {
      following.asked(lines);
      return;
    }
    const ended = () => {
      this.#tails.delete(serviceId);
      this.#parts.stopped?.(serviceId);
    };
    const tail = new RuntimeTail({ ...this.#parts, serviceId, ended });
    this.#tails.set(serviceId, tail);
    tail.start(after, lines);
  }

  answered({ serviceId, watched, paceMs }: HubFrameOf<'tail-ack'>): void {
    this.#tails.get(serviceId)?.answered(watched, paceMs);
  }

  reconnected(): void {
    for (const [serviceId, tail] of this.#tails)
      if (!this.#parts.hasOwnSocket?.(serviceId)) tail.reconnected();
  }

  /** The service's lines take another connection. */
  rerouted(serviceId: string): void {
    this.#tails.get(serviceId)?.reconnected();
  }

  /** Containers were started, stopped or renamed. */
  changed(): void {
    for (const tail of this.#tails.values()) tail.changed();
  }

  stop(): void {
    for (const tail of [...this.#tails.values()]) tail.stop();
  }
}
