/**
 * Detects a connection that died silently (a black hole sends no FIN): the runner sends pings, and two unanswered pings in a row
 * mean that the connection is dead. Any incoming message counts as an answer.
 */
import type { Clock } from '../base/clock.ts';

/** A hub answers without waking up, so pings cost it nothing. */
const pingIntervalMs = 10_000;
/** A pong takes milliseconds. In the worst case a dead connection is noticed 10 + 10 + 8 s after the last answer. */
const answerLimitMs = 8_000;
const missesMax = 2;

export class Liveness {
  readonly #clock: Clock;
  readonly #ping: () => void;
  readonly #dead: () => void;
  #unanswered = 0;
  #cancels: (() => void)[] = [];

  constructor(clock: Clock, actions: { ping: () => void; dead: () => void }) {
    this.#clock = clock;
    this.#ping = actions.ping;
    this.#dead = actions.dead;
  }

  start(): void {
    this.stop();
    this.#unanswered = 0;
    this.#next();
  }

  /** A message has arrived. */
  received(): void {
    this.#unanswered = 0;
  }

  stop(): void {
    for (const cancel of this.#cancels.splice(0)) cancel();
  }

  #next(): void {
    this.#cancels[0] = this.#clock.after(pingIntervalMs, () => {
      this.#unanswered += 1;
      this.#ping();
      this.#cancels[1] = this.#clock.after(answerLimitMs, () => {
        if (this.#unanswered >= missesMax) this.#dead();
      });
      this.#next();
    });
  }
}
