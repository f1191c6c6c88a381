/**
 * Assigns the columns of the rings to services. The table is a separate file, replaced as a whole when a service is added. A column with a
 * new owner has no values for the time before.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { replaceFile } from '../base/replace-file.ts';

/** Column of the host itself. */
export const hostKey = 'host';

/** Its own: a table fits files of each layout. */
const tableVersion = 1;

const columnSchema = z.object({
  key: z.string().max(64),
  /** The time since when the column belongs to this key, in epoch milliseconds. */
  since: z.number(),
});
const tableSchema = z.object({
  version: z.literal(tableVersion),
  capacity: z.int().min(1).max(100_000),
  columns: z.array(columnSchema),
});

export type Column = z.infer<typeof columnSchema> & { at: number };

/** The rings grow in steps, because each step copies them. */
const growBy = 4;
/** Columns of removed services are kept while they are at most half as many as the columns of live services. */
const spare = { share: 1.5, least: 8 };

export class Columns {
  readonly #path: string;
  #columns: z.infer<typeof columnSchema>[];
  #capacity: number;
  /** The time of the last values by key. */
  readonly #seen = new Map<string, number>();
  /** Epoch milliseconds of the newest values. */
  #newest: number;

  constructor(path: string) {
    this.#path = path;
    const kept = readTable(path);
    this.#columns = kept?.columns.slice(0, kept.capacity) ?? [];
    this.#capacity = kept?.capacity ?? growBy;
    this.#newest = Math.max(0, ...this.#columns.map(({ since }) => since));
  }

  get capacity(): number {
    return this.#capacity;
  }

  of(key: string): Column | undefined {
    const at = this.#columns.findIndex((column) => column.key === key);
    const column = this.#columns[at];
    return column && { ...column, at };
  }

  /**
   * Gives each key a column, and stores the table if it has changed.
   * @param now epoch milliseconds
   * @returns `isChanged` if columns have a new owner; `hasGrown` if there are more of them, so that the rings have to be copied
   */
  claim(keys: readonly string[], now: number): { isChanged: boolean; hasGrown: boolean } {
    const capacity = this.#capacity;
    const known = new Set(this.#columns.map(({ key }) => key));
    const fresh = keys.filter((key) => !known.has(key));
    for (const key of keys) this.#seen.set(key, now);
    // A previous owner's values would be later than now after the clock was set back.
    this.#newest = Math.max(this.#newest, now);
    for (const key of fresh) this.#give(key, this.#newest, keys);
    if (fresh.length > 0) this.#store();
    return { isChanged: fresh.length > 0, hasGrown: this.#capacity !== capacity };
  }

  #give(key: string, since: number, live: readonly string[]): void {
    const most = Math.max(live.length * spare.share, live.length + spare.least);
    const used = this.#columns.length;
    if (used >= this.#capacity && used + 1 > most) {
      const gone = this.#longestGone(new Set(live));
      if (gone !== undefined) {
        this.#seen.delete(this.#columns[gone]?.key ?? '');
        this.#columns[gone] = { key, since };
        return;
      }
    }
    if (used >= this.#capacity) this.#capacity += growBy;
    this.#columns.push({ key, since });
  }

  #longestGone(live: ReadonlySet<string>): number | undefined {
    const gone = this.#columns
      .map(({ key, since }, at) => ({ at, key, seen: this.#seen.get(key) ?? since }))
      .filter(({ key }) => !live.has(key) && key !== hostKey);
    return gone.sort((one, other) => one.seen - other.seen)[0]?.at;
  }

  #store(): void {
    const table = { version: tableVersion, capacity: this.#capacity, columns: this.#columns };
    replaceFile(this.#path, JSON.stringify(table));
  }
}

function readTable(path: string) {
  try {
    return tableSchema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}
