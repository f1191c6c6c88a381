/**
 * Recognizes lines that Docker sends twice while a log is followed. When Docker 20.10 begins a new file of a log, it can read the beginning
 * of that file twice: the lines are repeated in order, with the same times. Lines of one stream otherwise never share a time, because the
 * clock counts nanoseconds.
 */

/** The number of remembered lines of one stream. Repetitions of about 60 KB were seen. */
const rememberedMax = 16_384;
/** The period of the ids in microseconds: ids within 17 minutes differ, and are exact numbers. */
const wrapMicroseconds = 1e9;

export class RepeatedLines {
  #ids: number[] = [];
  #last = { at: 0, nanoseconds: 0 };
  #lastText = '';
  /** The place of the expected next line during a repetition. */
  #next: number | undefined;

  /** @param at microseconds @param nanoseconds after that microsecond: three digits */
  isRepeated(at: number, nanoseconds: number, text: string): boolean {
    const id = (at % wrapMicroseconds) * 1_000 + nanoseconds;
    const isRepeated = this.#isKnown(id, at, nanoseconds, text);
    if (isRepeated) return true;
    this.#ids.push(id);
    if (this.#ids.length >= 2 * rememberedMax) this.#ids = this.#ids.slice(-rememberedMax);
    this.#last = { at, nanoseconds };
    this.#lastText = text;
    return false;
  }

  #isKnown(id: number, at: number, nanoseconds: number, text: string): boolean {
    if (this.#next !== undefined && this.#ids[this.#next] === id) {
      this.#next = this.#next + 1 < this.#ids.length ? this.#next + 1 : undefined;
      return true;
    }
    this.#next = undefined;
    const last = this.#last;
    if (at > last.at || (at === last.at && nanoseconds > last.nanoseconds)) return false;
    // Two lines have the same time only if the clock counts microseconds.
    if (id === this.#ids.at(-1)) return nanoseconds !== 0 && text === this.#lastText;
    const found = this.#ids.indexOf(id);
    if (found < 0) return false; // The clock was set back.
    this.#next = found + 1;
    return true;
  }
}
