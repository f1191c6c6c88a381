/**
 * The question before the commit point: may the traffic move? Asked until it is answered or 60 s of a standing connection have passed;
 * the question or its answer may be lost with a connection, so it is asked again on each new one and every few seconds. Asking twice
 * changes nothing at the hub. While the line is down nobody can answer, and the job waits as long as the control plane keeps it.
 */
import { protocolVersion, type RunnerFrame } from '../../protocol/frames.ts';
import type { Clock } from '../base/clock.ts';
import type { Attempt } from '../journal/job-records.ts';

export type SwitchAnswer = 'granted' | 'denied' | 'unanswered';

/** After this the new version is removed and the old one serves on. */
const answerLimitMs = 60_000;
/** The control plane gives a job up when its host was away for 10 min. */
const awayLimitMs = 10 * 60_000;
const askAgainMs = 10_000;

interface Question {
  attempt: Attempt;
  answer: (answer: SwitchAnswer) => void;
  /** The 60 s begin anew. */
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

  /** @param signal its abort ends the waiting as `unanswered` */
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

  /** An answer for nobody (late, or of an older attempt) is dropped. */
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
