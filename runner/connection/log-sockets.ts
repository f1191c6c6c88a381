/** The sockets to logs that are being read: at most one for each job or service, by its id. */
import type { HubFrame, RunnerFrame } from '../../protocol/frames.ts';
import { type BackoffLimits, backoffMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { LogSocket } from './log-socket.ts';

export interface LogSocketsParts {
  url: string;
  clock: Clock;
  /** Lines of this job or service now use another connection: unacknowledged lines must be sent again. */
  rerouted(id: string): void;
  frame(frame: HubFrame): void;
  /** Random number for the pauses between tries, from 0 to 1. */
  random?: () => number;
}

/** Pauses after a socket that could not be opened, or broke soon, such as one that a proxy refuses. */
const pauses: BackoffLimits = { minMs: 5_000, maxMs: 300_000 };
/** A socket that lived this long is no failure. */
const stableMs = 10_000;

interface Trouble {
  failures: number;
  /** Epoch milliseconds. */
  dialAgainAt: number;
}

export class LogSockets {
  readonly #parts: LogSocketsParts;
  readonly #sockets = new Map<string, LogSocket>();
  readonly #troubles = new Map<string, Trouble>();

  constructor(parts: LogSocketsParts) {
    this.#parts = parts;
  }

  /** Opens a socket with the hub's ticket, unless one exists or the last one failed recently. */
  offer(id: string, ticket: string): void {
    const { url, clock, frame, rerouted } = this.#parts;
    const dialledAt = clock.elapsed();
    if (this.#sockets.has(id) || (this.#troubles.get(id)?.dialAgainAt ?? 0) > dialledAt) return;
    const socket = new LogSocket(url, ticket, clock, {
      opened: () => rerouted(id),
      frame,
      ended: (failed) => {
        this.#sockets.delete(id);
        if (failed && clock.elapsed() - dialledAt < stableMs) this.#failed(id);
        else this.#troubles.delete(id);
        rerouted(id);
      },
    });
    this.#sockets.set(id, socket);
  }

  /** True if lines of this job or service are sent on a socket of their own. */
  isOpen(id: string): boolean {
    return this.#sockets.get(id)?.isOpen ?? false;
  }

  /** @returns false if the frame could not be sent: it is sent again after `rerouted` */
  send(id: string, frame: RunnerFrame): boolean {
    return this.#sockets.get(id)?.send(frame) ?? false;
  }

  /** Nothing more will be sent. No event follows. */
  close(id: string): void {
    this.#sockets.get(id)?.close();
    this.#sockets.delete(id);
    this.#troubles.delete(id);
  }

  stop(): void {
    for (const id of [...this.#sockets.keys()]) this.close(id);
  }

  #failed(id: string): void {
    const { clock, random = Math.random } = this.#parts;
    const failures = (this.#troubles.get(id)?.failures ?? 0) + 1;
    this.#troubles.set(id, {
      failures,
      dialAgainAt: clock.elapsed() + backoffMs(failures, pauses, random()),
    });
  }
}
