/**
 * Pages of lists: each page continues after the last row of the previous one, so it reads only its own rows at any position, and inserted
 * or deleted rows shift nothing (never OFFSET).
 */
import { asc, desc, type Placeholder, type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';

/** The row after which a page begins: its value in the list's order, and its id. */
export interface Position {
  at: number | string;
  id: string;
}

export interface Page {
  /** Maximum number of rows. */
  limit: number;
  /** Undefined for the first page. */
  cursor?: Position | undefined;
}

/** The parts of a statement that reads a page. It reads one row more than the page has; that row shows that there is a next page. */
export interface Keyset {
  after: SQL;
  orderBy: SQL[];
  limit: number;
}

type Value = number | string | Placeholder;
export type Direction = 'oldest' | 'newest';

/** The sort keys of a list. */
export interface Order {
  at: SQLiteColumn;
  /** Identifies a row. Rows with equal `at` are in the order in which they were written. Absent if all rows of the list have a different `at`. */
  key?: SQLiteColumn;
  /** Sorts rows with equal `at`, instead of their order of writing. */
  tie?: SQLiteColumn;
}

/**
 * A page of a list. An index on the list's own condition followed by `at` serves it, because each index of SQLite ends with the rowid
 * (https://www.sqlite.org/queryplanner.html). If the cursor's row was deleted, rows with an equal `at` may be in two pages.
 */
export function keysetOf(order: Order, direction: Direction, page: Page): Keyset {
  const { after, orderBy } = keysetParts(order, direction, page.cursor ?? firstPosition(order, direction));
  return { after, orderBy, limit: page.limit + 1 };
}

/** The same for a statement that is built before its position is known. */
export function keysetParts(
  { at, key, tie }: Order,
  direction: Direction,
  position: { at: Value; id: Value },
): Pick<Keyset, 'after' | 'orderBy'> {
  const isNewest = direction === 'newest';
  const sorted = isNewest ? desc : asc;
  const than = sql.raw(isNewest ? '<' : '>');
  const value = sql`cast(${position.at} as ${sql.raw(at.dataType === 'string' ? 'text' : 'integer')})`;
  if (tie) {
    const after = sql`(${at}, ${tie}) ${than} (${value}, ${position.id})`;
    return { after, orderBy: [sorted(at), sorted(tie)] };
  }
  if (!key) return { after: sql`${at} ${than} ${value}`, orderBy: [sorted(at)] };
  const name = sql.identifier(getTableConfig(at.table as SQLiteTable).name);
  const rowid = sql`${name}.rowid`;
  // Position of a row that has been deleted since: before all others with its `at`.
  const unknown = sql.raw(isNewest ? String(Number.MAX_SAFE_INTEGER) : '0');
  const known = sql`coalesce((select known.rowid from ${name} known where known.${sql.identifier(key.name)} = ${position.id}), ${unknown})`;
  return {
    after: sql`(${at}, ${rowid}) ${than} (${value}, ${known})`,
    orderBy: [sorted(at), sorted(rowid)],
  };
}

/** The position before all rows. */
export function firstPosition({ at }: Order, direction: Direction): Position {
  if (at.dataType === 'string') return { at: '', id: '' };
  return { at: direction === 'newest' ? Number.MAX_SAFE_INTEGER : -1, id: '' };
}
