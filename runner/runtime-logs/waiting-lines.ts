/** Log lines that were read but not sent yet, ordered by time, and their ids after sending. */
import type { RuntimeLine } from '../../protocol/frames.ts';
import type { TimedLine } from './followed-container.ts';

export interface WaitingLine extends TimedLine {
  /** Milliseconds since the epoch. */
  takenAt: number;
}

/** Above these limits the log is faster than its readers. */
const linesMax = 5_000;
const charsMax = 2 ** 20;
const frameLinesMax = 500;
const frameCharsMax = 64 * 1024;

export class WaitingLines {
  /** Id of the last line sent. */
  lastId = 0;
  /** Lines dropped since the last notice about dropped lines. */
  dropped = 0;
  #lines: WaitingLine[] = [];
  #chars = 0;

  get count(): number {
    return this.#lines.length;
  }

  get isFull(): boolean {
    return this.#lines.length >= linesMax || this.#chars >= charsMax;
  }

  add(line: WaitingLine): void {
    const place = this.#lines.findLastIndex(({ at }) => at <= line.at) + 1;
    this.#lines.splice(place, 0, line);
    this.#chars += line.line.length;
  }

  /**
   * Removes and returns the oldest lines, as many as fit into one frame.
   * @param takenBefore milliseconds since the epoch: takes lines up to the last one that was read at or before this time; a line with an
   *   earlier Docker time may have been read later
   */
  takeFrame(takenBefore: number): RuntimeLine[] {
    const ready = this.#lines.findLastIndex(({ takenAt }) => takenAt <= takenBefore) + 1;
    let chars = 0;
    const over = this.#lines.slice(0, Math.min(ready, frameLinesMax)).findIndex(({ line }, index) => {
      chars += line.length;
      return index > 0 && chars > frameCharsMax;
    });
    const taken = this.#lines.splice(0, over === -1 ? Math.min(ready, frameLinesMax) : over);
    return taken.map(({ at, stream, line, replica }) => {
      this.#chars -= line.length;
      this.lastId = Math.max(at, this.lastId + 1);
      return { id: this.lastId, stream, line, replica };
    });
  }
}
