/** Lines of a service's containers that were taken and not sent yet, in the order of their times, and the ids that they are sent with. */
import type { RuntimeLine } from '../../protocol/frames.ts';
import type { TimedLine } from './followed-container.ts';

export interface WaitingLine extends TimedLine {
  /** Milliseconds since the epoch. */
  takenAt: number;
}

/** Beyond these the log is faster than its readers. */
const linesMax = 5_000;
const charsMax = 2 ** 20;
const frameLinesMax = 500;
const frameCharsMax = 64 * 1024;

export class WaitingLines {
  /** Id of the line that was sent last. */
  lastId = 0;
  /** Lines that were not taken in since somebody was told so. */
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
   * Takes out the oldest lines, as many as fit one frame.
   * @param takenBefore milliseconds since the epoch: the newest of them was taken then or earlier; a line that is ordered before it may
   *   have come later
   */
  takeFrame(takenBefore: number): RuntimeLine[] {
    const ready = this.#lines.findLastIndex(({ takenAt }) => takenAt <= takenBefore) + 1;
    let chars = 0;
    const over = this.#lines.slice(0, Math.min(ready, frameLinesMax)).findIndex(({ line }, index) => {
      chars += line.length;
      return index > 0 && chars > frameCharsMax;
    });
    const taken = this.#lines.splice(0, over === -1 ? Math.min(ready, frameLinesMax) : over);
    return taken.map(({ at, stream, line }) => {
      this.#chars -= line.length;
      this.lastId = Math.max(at, this.lastId + 1);
      return { id: this.lastId, stream, line };
    });
  }
}
