/**
 * A log's lines on disk: one row per chunk of lines, because each written row is billed. While the log grows, a row is JSON text. After
 * the log has ended, its rows are replaced by fewer rows of gzip (decision 0034).
 * The tables are created by the first write, so an object that only answered "empty" stores nothing.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { LogEnding } from '../domain/logs/log-events.ts';
import type { StoredLine } from '../domain/logs/log-intake.ts';

export class LogChunkTable {
  readonly #sql: SqlStorage;
  #made: boolean;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#made = this.#exists();
  }

  /** Inserts one row. Its lines must follow the stored ones. */
  insert(lines: readonly StoredLine[]): void {
    const first = lines[0];
    if (first === undefined) return;
    this.#make();
    this.#sql.exec('insert into chunks (first, lines) values (?, ?)', first.id, encode(lines));
  }

  /**
   * Replaces the rows by compressed ones, in one transaction. Dropping a table writes no billed row, and frees its disk space.
   * @param inChunks the same lines in other portions
   */
  compress(
    storage: DurableObjectStorage,
    inChunks: (lines: Iterable<StoredLine>) => Iterable<StoredLine[]>,
  ): void {
    if (!this.#made) return;
    storage.transactionSync(() => {
      this.#sql.exec('create table packed (first integer primary key, lines blob not null) without rowid');
      for (const chunk of inChunks(flat(this.chunksAfter(0)))) {
        const { first, lines } = packed(chunk);
        this.#sql.exec('insert into packed (first, lines) values (?, ?)', first, lines);
      }
      this.#sql.exec('drop table chunks; alter table packed rename to chunks');
    });
  }

  /** Writes the lines of an empty log that has ended, in one transaction. */
  load(storage: DurableObjectStorage, chunks: readonly PackedChunk[]): void {
    try {
      storage.transactionSync(() => {
        this.#make();
        for (const { first, lines } of chunks)
          this.#sql.exec('insert into chunks (first, lines) values (?, ?)', first, lines);
      });
    } finally {
      this.#made = this.#exists();
    }
  }

  /** Chunks with lines above `after`, in order. Each chunk is a separate query, because a cursor that a reader leaves open would lock the table. */
  *chunksAfter(after: number): Generator<StoredLine[]> {
    if (!this.#made) return;
    const start = 'select max(first) as first from chunks where first <= ?';
    let from = this.#sql.exec<{ first: number | null }>(start, after + 1).one().first ?? 0;
    for (;;) {
      const next = 'select first, lines from chunks where first >= ? order by first limit 1';
      const [row] = this.#sql.exec<ChunkRow>(next, from).toArray();
      if (!row) return;
      const lines = decode(row.first, row.lines).filter((line) => line.id > after);
      if (lines.length > 0) yield lines;
      from = row.first + 1;
    }
  }

  /** All chunks, newest first. */
  *newestChunks(): Generator<StoredLine[]> {
    if (!this.#made) return;
    for (let below = Number.MAX_SAFE_INTEGER; ; ) {
      const row = this.#chunkBelow(below);
      if (!row) return;
      yield decode(row.first, row.lines);
      below = row.first;
    }
  }

  lastLine(): StoredLine | undefined {
    if (!this.#made) return undefined;
    const row = this.#chunkBelow(Number.MAX_SAFE_INTEGER);
    return row && decode(row.first, row.lines).at(-1);
  }

  #chunkBelow(first: number): ChunkRow | undefined {
    const query = 'select first, lines from chunks where first < ? order by first desc limit 1';
    return this.#sql.exec<ChunkRow>(query, first).toArray()[0];
  }

  /** The deployment's outcome; undefined before its end. */
  outcome(): LogEnding | undefined {
    if (!this.#made) return undefined;
    const [row] = this.#sql.exec<{ ok: number; ending?: string | null }>('select * from outcome').toArray();
    return row && { ...JSON.parse(row.ending ?? '{}'), ok: row.ok === 1 };
  }

  setOutcome({ ok, ...ending }: LogEnding): void {
    this.#make();
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

/** A compressed row. */
export interface PackedChunk {
  /** Id of its first line. */
  first: number;
  lines: Uint8Array;
}

/** @param lines not empty */
export function packed(lines: readonly StoredLine[]): PackedChunk {
  return { first: lines[0]?.id ?? 0, lines: gzipSync(encode(lines)) };
}

interface ChunkRow extends Record<string, SqlStorageValue> {
  first: number;
  /** JSON text, or gzip of JSON. */
  lines: string | ArrayBuffer;
}

function* flat(chunks: Iterable<StoredLine[]>): Generator<StoredLine> {
  for (const chunk of chunks) yield* chunk;
}

function encode(lines: readonly StoredLine[]): string {
  return JSON.stringify(lines.map(({ stream, at, line }) => ({ stream, at, line })));
}

/** Only this file writes these rows, so their shape is trusted. */
function decode(first: number, lines: string | ArrayBuffer): StoredLine[] {
  const text = typeof lines === 'string' ? lines : new TextDecoder().decode(gunzipSync(lines));
  const body: Omit<StoredLine, 'id'>[] = JSON.parse(text);
  return body.map((line, index) => ({ id: first + index, ...line }));
}
