/** Reads the lines of a file one by one. */
export class Lines {
  readonly all: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.all = text.split('\n');
  }

  /** Number of the next line, from 1. */
  get number(): number {
    return this.#at + 1;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.all.length;
  }

  take(): string | undefined {
    const line = this.all[this.#at];
    this.#at += 1;
    return line;
  }
}
