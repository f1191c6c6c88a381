/** Follows one container's log. Reading it again after a restart or a lost connection neither loses nor repeats lines. */
import type { RuntimeLine } from '../../protocol/frames.ts';
import type { LoggedContainer, LogRange } from '../docker/follow-log.ts';
import type { LoggedLine } from '../docker/logs/log-parser.ts';
import { presentable } from '../job-log/presentable-line.ts';
import { secretMask } from '../job-log/secret-mask.ts';

export type ReadLog = (id: string, range: LogRange, signal: AbortSignal) => AsyncIterable<LoggedLine[]>;

/** A line as shown, with Docker's time in microseconds. */
export interface TimedLine extends Omit<RuntimeLine, 'id'> {
  at: number;
}

export class FollowedContainer {
  readonly #container: LoggedContainer;
  readonly #readLog: ReadLog;
  /** Docker's time of the last line read, and the number of lines with that time. */
  #cursor = { at: 0, lines: 0 };
  #isOpen = false;

  constructor(container: LoggedContainer, readLog: ReadLog) {
    this.#container = container;
    this.#readLog = readLog;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The last lines after `after`, at most `count` unless it is 0. None for a container that was removed or has not started. */
  async past(after: number, count: number, signal: AbortSignal): Promise<TimedLine[]> {
    const { id } = this.#container;
    const shown = this.#shown();
    const range = { since: after, follow: false, ...(count > 0 ? { tail: count } : {}) };
    const lines: TimedLine[] = [];
    try {
      for await (const batch of this.#readLog(id, range, signal)) {
        for (const line of batch) if (line.at > after) lines.push(shown(line));
      }
    } catch {
      return [];
    }
    return lines;
  }

  /** Starts following after these lines. */
  taken(lines: readonly TimedLine[]): void {
    for (const { at } of lines) this.#moveCursor(at);
  }

  /** Passes each line to `take` until the container stops. @throws DockerError */
  async follow(take: (line: TimedLine) => void, signal: AbortSignal): Promise<void> {
    const { id } = this.#container;
    const shown = this.#shown();
    const seen = { ...this.#cursor };
    let isBehind = true;
    this.#isOpen = true;
    try {
      for await (const batch of this.#readLog(id, { since: seen.at, follow: true }, signal)) {
        if (signal.aborted) return;
        for (const line of batch) {
          // The log starts with lines that were already read.
          if (isBehind && line.at < seen.at) continue;
          if (isBehind && line.at === seen.at && seen.lines-- > 0) continue;
          isBehind = false;
          this.#moveCursor(line.at);
          take(shown(line));
        }
      }
    } finally {
      this.#isOpen = false;
    }
  }

  #shown(): (line: LoggedLine) => TimedLine {
    const { secrets, replica } = this.#container;
    const mask = secretMask(secrets);
    return (line) => ({ at: line.at, stream: line.stream, line: presentable(line, mask), replica });
  }

  #moveCursor(at: number): void {
    if (at > this.#cursor.at) this.#cursor = { at, lines: 1 };
    else if (at === this.#cursor.at) this.#cursor.lines += 1;
  }
}
