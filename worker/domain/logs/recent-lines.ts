/** The last lines of a running container, by id: the snapshot for new readers, and the backlog for readers that lag behind. */
import type { RuntimeLine } from '../../../protocol/frames.ts';

const linesMax = 2_000;
const charsMax = 2 * 2 ** 20;

export class RecentLines {
  #lines: RuntimeLine[] = [];
  #chars = 0;
  /** Lines up to this id were discarded. */
  #droppedThrough = 0;

  /** Id of the newest line; 0 when there is none. */
  get last(): number {
    return this.#lines.at(-1)?.id ?? this.#droppedThrough;
  }

  /** Adds lines in order of their ids. @returns the new ones */
  add(lines: readonly RuntimeLine[]): RuntimeLine[] {
    const known = new Set(this.#lines.map(({ id }) => id));
    const fresh = lines.filter(({ id }) => id > this.#droppedThrough && !known.has(id));
    const isInOrder = (fresh[0]?.id ?? 0) > this.last;
    this.#lines.push(...fresh);
    if (!isInOrder) this.#lines.sort((a, b) => a.id - b.id);
    for (const { line } of fresh) this.#chars += line.length;
    this.#trim();
    return fresh;
  }

  /** Lines after this id, in order. `isComplete` is false if older ones were already discarded. */
  after(after: number): { lines: RuntimeLine[]; isComplete: boolean } {
    const from = this.#lines.findIndex(({ id }) => id > after);
    const lines = from === -1 ? [] : this.#lines.slice(from);
    return { lines, isComplete: this.#droppedThrough <= after };
  }

  #trim(): void {
    let count = 0;
    while (this.#lines.length - count > linesMax || this.#chars > charsMax) {
      const oldest = this.#lines[count];
      if (!oldest) break;
      this.#chars -= oldest.line.length;
      this.#droppedThrough = oldest.id;
      count += 1;
    }
    if (count > 0) this.#lines.splice(0, count);
  }
}
