/**
 * Memory for lines that are longer than usual and have no end yet. All logs of the host share it: containers that print without a line feed
 * must not fill the memory of the runner.
 */

/** The part of each line that is always kept. */
const freeBytes = 64 * 1024;
const sharedBytesMax = 32 * 1024 * 1024;

class LongLines {
  #usedBytes = 0;

  /**
   * @param keptBytes of the line that are already in memory
   * @returns the number of further bytes, at most `wanted`, that may be kept
   */
  take(keptBytes: number, wanted: number): number {
    const free = Math.max(0, Math.min(wanted, freeBytes - keptBytes));
    const shared = Math.max(0, Math.min(wanted - free, sharedBytesMax - this.#usedBytes));
    this.#usedBytes += shared;
    return free + shared;
  }

  /** The line has ended. @param keptBytes of the line that were in memory */
  release(keptBytes: number): void {
    this.#usedBytes -= Math.max(0, keptBytes - freeBytes);
  }
}

export const longLines = new LongLines();
