/** Build log lines on disk until the hub has acknowledged them. */
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { type LogLine, logLineSchema } from '../../protocol/frames.ts';

export interface LogHead {
  /** Id of the last line, 0 for an empty log. */
  last: number;
  /** Lines up to this one are acknowledged. */
  acked: number;
  /** All text ever written, in bytes. */
  bytes: number;
  /** The log reached its limit: it only accepts lines from the platform itself. */
  full: boolean;
}

export interface LogChunk {
  first: number;
  lines: LogLine[];
}

/** Waiting chunks are read together up to this many characters. */
const joinedCharsMax = 128 * 1024;
/** The number of characters that are worth a frame. */
const frameChars = 64 * 1024;

const headRow = z.object({ last: z.number(), acked: z.number(), bytes: z.number(), full: z.number() });
const chunkRow = z.object({ first: z.number(), lines: z.string() });
const charsRow = z.object({ chars: z.number() });
const jobRow = z.object({ job: z.string() });
const linesSchema = z.array(logLineSchema);

export class LogSpool {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(`
      CREATE TABLE IF NOT EXISTS heads (
        job TEXT PRIMARY KEY, last INTEGER NOT NULL, acked INTEGER NOT NULL, bytes INTEGER NOT NULL, "full" INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS chunks (
        job TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, lines TEXT NOT NULL,
        PRIMARY KEY (job, first)
      ) STRICT, WITHOUT ROWID`);
  }

  head(job: string): LogHead {
    const row = this.#database.prepare('SELECT last, acked, bytes, "full" FROM heads WHERE job = ?').get(job);
    if (!row) return { last: 0, acked: 0, bytes: 0, full: false };
    const head = headRow.parse(row);
    return { ...head, full: head.full === 1 };
  }

  /** The log continues after `last` lines of another job. Does nothing if this job already has lines. */
  continueAfter(job: string, last: number): void {
    this.#database
      .prepare('INSERT OR IGNORE INTO heads (job, last, acked, bytes, "full") VALUES (?1, ?2, ?2, 0, 0)')
      .run(job, last);
  }

  /**
   * Appends a chunk; its lines get the next numbers.
   * @param size of the whole log, including this chunk
   */
  append(job: string, lines: LogLine[], size: Pick<LogHead, 'bytes' | 'full'>): void {
    this.#database.exec('BEGIN');
    try {
      const { last } = this.head(job);
      const newLast = last + lines.length;
      this.#database
        .prepare('INSERT INTO chunks (job, first, last, lines) VALUES (?, ?, ?, ?)')
        .run(job, last + 1, newLast, JSON.stringify(lines));
      this.#database
        .prepare(
          `INSERT INTO heads (job, last, acked, bytes, "full") VALUES (?1, ?2, 0, ?3, ?4)
           ON CONFLICT (job) DO UPDATE SET last = ?2, bytes = ?3, "full" = ?4`,
        )
        .run(job, newLast, size.bytes, size.full ? 1 : 0);
      this.#database.exec('COMMIT');
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /**
   * The lines after `after` as one frame: a chunk, and those that follow it while they fit into 128 KB together.
   * @returns `undefined` if there are none
   */
  readAfter(job: string, after: number): LogChunk | undefined {
    const rows = this.#database
      .prepare('SELECT first, lines FROM chunks WHERE job = ? AND last > ? ORDER BY first')
      .iterate(job, after);
    let found: LogChunk | undefined;
    let chars = 0;
    for (const row of rows) {
      const { first, lines: text } = chunkRow.parse(row);
      chars += text.length;
      if (found && (chars > joinedCharsMax || first !== found.first + found.lines.length)) break;
      const known = Math.max(0, after + 1 - first);
      const lines = linesSchema.parse(JSON.parse(text)).slice(known);
      if (found) found.lines.push(...lines);
      else found = { first: first + known, lines };
    }
    return found;
  }

  /** True if the lines after `after` are worth a separate frame. */
  fillFrame(job: string, after: number): boolean {
    const row = this.#database
      .prepare('SELECT coalesce(sum(length(lines)), 0) AS chars FROM chunks WHERE job = ? AND last > ?')
      .get(job, after);
    return charsRow.parse(row).chars >= frameChars;
  }

  /** The hub has all lines up to `through`. */
  acknowledge(job: string, through: number): void {
    this.#database.prepare('DELETE FROM chunks WHERE job = ? AND last <= ?').run(job, through);
    // The hub may know more lines than this disk after a power cut: their numbers must not be used again.
    this.#database
      .prepare('UPDATE heads SET acked = max(acked, ?1), last = max(last, ?1) WHERE job = ?2')
      .run(through, job);
  }

  /** Jobs with lines that are not acknowledged. */
  waiting(): string[] {
    const rows = this.#database.prepare('SELECT DISTINCT job FROM chunks').all();
    return z
      .array(jobRow)
      .parse(rows)
      .map(({ job }) => job);
  }

  forget(job: string): void {
    this.#database.prepare('DELETE FROM chunks WHERE job = ?').run(job);
    this.#database.prepare('DELETE FROM heads WHERE job = ?').run(job);
  }
}
