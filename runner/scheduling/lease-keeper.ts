/** Renews the leases of this runner's jobs. Otherwise the hub would treat a build without output as lost. */
import { protocolVersion, type RunnerFrame } from '../../protocol/frames.ts';
import type { Clock } from '../base/clock.ts';
import type { Attempt } from '../journal/job-records.ts';

/** A lease lasts 60 s, so two renewals may get lost. */
const aliveIntervalMs = 20_000;

export class LeaseKeeper {
  readonly #clock: Clock;
  readonly #send: (frame: RunnerFrame) => boolean;
  readonly #held: () => Attempt[];
  #cancel: (() => void) | undefined;
  #stopped = false;

  constructor(clock: Clock, send: (frame: RunnerFrame) => boolean, held: () => Attempt[]) {
    this.#clock = clock;
    this.#send = send;
    this.#held = held;
  }

  /** Sends a renewal now, and repeats it as long as there are jobs. */
  renew(): void {
    this.#cancel?.();
    if (this.#stopped) return;
    const jobs = this.#held();
    if (jobs.length === 0) return;
    this.#send({ v: protocolVersion, type: 'alive', jobs });
    this.#cancel = this.#clock.after(aliveIntervalMs, () => this.renew());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }
}
