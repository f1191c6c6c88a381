/** Reports the state of the host's custom domains to the hub: after each connect, and when it changes. */
import type { DomainState } from '../../protocol/domain-state.ts';
import { protocolVersion, type RunnerFrame } from '../../protocol/frames.ts';
import type { Clock } from '../base/clock.ts';
import type { DomainSource } from '../host/domains/domain-source.ts';

/** Changes within this time are sent in one frame. */
export const settleMs = 100;
/** Keeps a frame far below the 1 MiB that the control plane's socket accepts. */
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

  /** A new connection sends every state, even if the hub had it before. */
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

  /** States that can't be sent now are sent with all others after the next connect. */
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
