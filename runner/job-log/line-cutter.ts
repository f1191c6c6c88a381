/** Cuts the raw output of a process into lines, independent of how it was written; invalid UTF-8 becomes U+FFFD. */
import { lastStateAt } from './clean-line.ts';

export interface RawLine {
  text: string;
  /** The line was longer; the rest was dropped. */
  cut: boolean;
}

export class LineCutter {
  readonly #decoder = new TextDecoder();
  readonly #charsMax: number;
  #rest = '';
  #cut = false;

  /** @param charsMax limit per line; the rest is dropped, so that output without line feeds does not fill the memory */
  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  push(chunk: Uint8Array | string): RawLine[] {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true });
    const parts = text.split('\n');
    const rest = parts.pop() ?? '';
    const lines = parts.map((part) => {
      this.#add(part);
      return this.#take();
    });
    this.#add(rest);
    return lines;
  }

  /** The last line, if it does not end with a line feed. */
  end(): RawLine[] {
    this.#add(this.#decoder.decode());
    return this.#rest === '' ? [] : [this.#take()];
  }

  #add(text: string): void {
    const whole = this.#rest + text;
    const at = lastStateAt(whole);
    // Text overwritten by a progress bar does not count, so that its last state is never cut off.
    const line = whole.slice(at);
    if (at > this.#rest.length) this.#cut = false;
    this.#cut ||= line.length > this.#charsMax;
    this.#rest = line.slice(0, this.#charsMax);
  }

  #take(): RawLine {
    const line = { text: this.#rest, cut: this.#cut };
    this.#rest = '';
    this.#cut = false;
    return line;
  }
}
