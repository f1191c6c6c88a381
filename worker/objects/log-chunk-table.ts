/**
 * A log's lines on disk: one row per chunk of lines, because each written row is billed.
 * The tables are created by the first write, so an object that only answered "empty" stores nothing.
 */
import type { LogEnding } from '../domain/logs/log-events.ts';
import type { StoredLine } from '../domain/logs/log-intake.ts';

export class LogChunkTable {
  readonly #sql: SqlStorage;
  #made: boolean;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#made = this.#exists();
  }

  /** Inserts one row. The lines must continue what is stored. */
  insert(lines: readonly StoredLine[]): void {
    const first = lines[0];
    if (first === undefined) return;
    this.#make();
    const body = lines.map(({ stream, at, line }) => ({ stream, at, line }));
    this.#sql.exec('insert into chunks (first, lines) values (?, ?)', first.id, JSON.stringify(body));
  }

  /** Chunks with lines above `after`, in order, read from disk lazily. */
  *chunksAfter(after: number): Generator<StoredLine[]> {
    if (!this.#made) return;
    const rows = this.#sql.exec<{ first: number; lines: string }>(
      `select first, lines from chunks
       where first >= coalesce((select max(first) from chunks where first <= ?), 0) order by first`,
      after + 1,
    );
    for (const row of rows) {
      const lines = decode(row.first, row.lines).filter((line) => line.id > after);
      if (lines.length > 0) yield lines;
    }
  }

  /** All chunks, newest first, read from disk lazily. */
  *newestChunks(): Generator<StoredLine[]> {
    if (!this.#made) return;
    const rows = this.#sql.exec<{ first: number; lines: string }>(
      'select first, lines from chunks order by first desc',
    );
    for (const row of rows) yield decode(row.first, row.lines);
  }

  lastLine(): StoredLine | undefined {
    if (!this.#made) return undefined;
    const [row] = this.#sql.exec<{ first: number; lines: string }>(
      'select first, lines from chunks order by first desc limit 1',
    );
    return row && decode(row.first, row.lines).at(-1);
  }

  /** How the deployment ended; undefined until then. */
  outcome(): LogEnding | undefined {
    if (!this.#made) return undefined;
    const [row] = this.#sql.exec<{ ok: number; ending?: string | null }>('select * from outcome');
    return row && { ...JSON.parse(row.ending ?? '{}'), ok: row.ok === 1 };
  }

  setOutcome({ ok, ...ending }: LogEnding): void {
    this.#make();
    // An object that was made by an older version has no such column.
    const columns = this.#sql
      .exec("select 1 from pragma_table_info('outcome') where name = 'ending'")
      .toArray();
    if (columns.length === 0) this.#sql.exec('alter table outcome add column ending text');
    this.#sql.exec(
      'insert into outcome (id, ok, ending) values (1, ?, ?)',
      ok ? 1 : 0,
      JSON.stringify(ending),
    );
  }

  /** Must be called after the storage was emptied by other means. */
  forget(): void {
    this.#made = false;
  }

  #exists(): boolean {
    return this.#sql.exec("select 1 from sqlite_master where name = 'outcome'").toArray().length > 0;
  }

  #make(): void {
    if (this.#made) return;
    this.#sql.exec(
      `create table chunks (first integer primary key, lines text not null) without rowid;
       create table outcome (id integer primary key check (id = 1), ok integer not null, ending text)`,
    );
    this.#made = true;
  }
}

/** Only `insert` writes these rows, so their shape is trusted. */
function decode(first: number, lines: string): StoredLine[] {
  const body: Omit<StoredLine, 'id'>[] = JSON.parse(lines);
  return body.map((line, index) => ({ id: first + index, ...line }));
}
