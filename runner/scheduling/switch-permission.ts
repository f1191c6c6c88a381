/**
 * Asks the control plane for the permission to move the traffic, before the commit point. The request or its answer may get lost with a
 * connection, so it is repeated on each new connection and every few seconds; repeating it changes nothing at the hub. It gives up after 60
 * s of an open connection. Without a connection there is no answer, and the job waits as long as the control plane keeps it.
 */
import { protocolVersion, type RunnerFrame } from '../../protocol/frames.ts';
import type { Clock } from '../base/clock.ts';
import type { Attempt } from '../journal/job-records.ts';

export type SwitchAnswer = 'granted' | 'denied' | 'unanswered';

/** The time after which the new version is removed and the old one keeps serving. */
const answerLimitMs = 60_000;
/** The control plane fails a job when its host was unreachable for 10 min. */
const awayLimitMs = 10 * 60_000;
const askAgainMs = 10_000;

interface Question {
  attempt: Attempt;
  answer: (answer: SwitchAnswer) => void;
  /** Restarts the 60 s. */
  allowTime: () => void;
}

export class SwitchPermission {
  readonly #clock: Clock;
  readonly #send: (frame: RunnerFrame) => boolean;
  readonly #open = new Map<string, Question>();

  constructor(clock: Clock, send: (frame: RunnerFrame) => boolean) {
    this.#clock = clock;
    this.#send = send;
  }

  /** @param signal aborting it ends the wait as `unanswered` */
  ask(attempt: Attempt, signal: AbortSignal): Promise<SwitchAnswer> {
    const { promise, resolve } = Promise.withResolvers<SwitchAnswer>();
    const key = keyOf(attempt);
    let cancelAgain = () => {};
    let cancelLimit = () => {};
    const allowTime = () => {
      cancelLimit();
      cancelLimit = this.#clock.after(answerLimitMs, stopped);
    };
    const again = () => {
      if (!this.#say(attempt)) allowTime();
      cancelAgain = this.#clock.after(askAgainMs, again);
    };
    const answer = (given: SwitchAnswer) => {
      this.#open.delete(key);
      cancelAgain();
      cancelLimit();
      cancelAway();
      signal.removeEventListener('abort', stopped);
      resolve(given);
    };
    const stopped = () => answer('unanswered');
    const cancelAway = this.#clock.after(awayLimitMs, stopped);
    this.#open.set(key, { attempt, answer, allowTime });
    allowTime();
    again();
    if (signal.aborted) stopped();
    else signal.addEventListener('abort', stopped, { once: true });
    return promise;
  }

  /** Ignores an unexpected answer (late, or for an older attempt). */
  answered(attempt: Attempt, granted: boolean): void {
    this.#open.get(keyOf(attempt))?.answer(granted ? 'granted' : 'denied');
  }

  reconnected(): void {
    for (const { attempt, allowTime } of this.#open.values()) {
      allowTime();
      this.#say(attempt);
    }
  }

  disconnected(): void {
    for (const { allowTime } of this.#open.values()) allowTime();
  }

  #say({ job, epoch }: Attempt): boolean {
    return this.#send({ v: protocolVersion, type: 'switch-request', job, epoch });
  }
}

const keyOf = ({ job, epoch }: Attempt) => `${job} ${epoch}`;
