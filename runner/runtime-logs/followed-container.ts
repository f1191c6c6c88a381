/** One container whose log is followed: looking at it again, after its restart or a lost connection, loses and repeats nothing. */
import type { RuntimeLine } from '../../protocol/frames.ts';
import type { LoggedContainer, LoggedLine, LogRange } from '../docker/follow-log.ts';
import { presentable } from '../job-log/presentable-line.ts';
import { secretMask } from '../job-log/secret-mask.ts';

export type ReadLog = (id: string, range: LogRange, signal: AbortSignal) => AsyncIterable<LoggedLine[]>;

/** A line as it is shown, and Docker's time of it in microseconds. */
export interface TimedLine extends Omit<RuntimeLine, 'id'> {
  at: number;
}

export class FollowedContainer {
  readonly #container: LoggedContainer;
  readonly #readLog: ReadLog;
  /** Docker's time of the last line taken, and how many lines had it. */
  #cursor = { at: 0, lines: 0 };
  #isOpen = false;

  constructor(container: LoggedContainer, readLog: ReadLog) {
    this.#container = container;
    this.#readLog = readLog;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The last lines above `after`, at most `count` if that is not 0; none of a container that is gone meanwhile, or has not started. */
  async past(after: number, count: number, signal: AbortSignal): Promise<TimedLine[]> {
    const { id, secrets } = this.#container;
    const mask = secretMask(secrets);
    const range = { since: after, follow: false, ...(count > 0 ? { tail: count } : {}) };
    const lines: TimedLine[] = [];
    try {
      for await (const batch of this.#readLog(id, range, signal)) {
        for (const line of batch) if (line.at > after) lines.push(shown(line, mask));
      }
    } catch {
      return [];
    }
    return lines;
  }

  /** Following begins after these. */
  taken(lines: readonly TimedLine[]): void {
    for (const { at } of lines) this.#moveCursor(at);
  }

  /** Gives each line to `take` until the container stops. @throws DockerError */
  async follow(take: (line: TimedLine) => void, signal: AbortSignal): Promise<void> {
    const { id, secrets } = this.#container;
    const mask = secretMask(secrets);
    const seen = { ...this.#cursor };
    let isBehind = true;
    this.#isOpen = true;
    try {
      for await (const batch of this.#readLog(id, { since: seen.at, follow: true }, signal)) {
        if (signal.aborted) return;
        for (const line of batch) {
          // What the last look has taken already stands at the beginning.
          if (isBehind && line.at < seen.at) continue;
          if (isBehind && line.at === seen.at && seen.lines-- > 0) continue;
          isBehind = false;
          this.#moveCursor(line.at);
          take(shown(line, mask));
        }
      }
    } finally {
      this.#isOpen = false;
    }
  }

  #moveCursor(at: number): void {
    if (at > this.#cursor.at) this.#cursor = { at, lines: 1 };
    else if (at === this.#cursor.at) this.#cursor.lines += 1;
  }
}

function shown(line: LoggedLine, mask: ReturnType<typeof secretMask>): TimedLine {
  return { at: line.at, stream: line.stream, line: presentable(line, mask) };
}
