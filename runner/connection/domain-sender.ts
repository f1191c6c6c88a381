/** Tells the hub what the host sees of its custom domains: after each connect, and when it has changed. */
import type { DomainState } from '../../protocol/domain-state.ts';
import { protocolVersion, type RunnerFrame } from '../../protocol/frames.ts';
import type { Clock } from '../base/clock.ts';
import type { DomainSource } from '../host/domains/domain-source.ts';

/** Changes of one moment make one frame. */
export const settleMs = 100;
/** A frame stays far below the 1 MiB that a socket of the control plane takes. */
const statesPerFrame = 500;

export class DomainSender {
  readonly #source: DomainSource;
  readonly #clock: Clock;
  readonly #send: (frame: RunnerFrame) => boolean;
  readonly #changed = new Map<string, DomainState>();
  #cancel: (() => void) | undefined;

  constructor(parts: { source: DomainSource; clock: Clock; send: (frame: RunnerFrame) => boolean }) {
    this.#source = parts.source;
    this.#clock = parts.clock;
    this.#send = parts.send;
    this.#source.onChange((states) => this.#add(states));
  }

  /** A new connection: the hub is told whatever it knew. */
  connected(): void {
    this.#add(this.#source.states());
  }

  stop(): void {
    this.#cancel?.();
    this.#source.onChange(() => undefined);
  }

  #add(states: DomainState[]): void {
    for (const state of states) this.#changed.set(state.hostname, state);
    if (this.#changed.size > 0) this.#cancel ??= this.#clock.after(settleMs, () => this.#flush());
  }

  /** What can't be sent is said with all the rest after the next connect. */
  #flush(): void {
    this.#cancel = undefined;
    const states = [...this.#changed.values()];
    this.#changed.clear();
    for (let from = 0; from < states.length; from += statesPerFrame) {
      const domains = states.slice(from, from + statesPerFrame);
      this.#send({ v: protocolVersion, type: 'domains', domains });
    }
  }
}
