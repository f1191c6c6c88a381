/** Build log lines on disk until the hub has acknowledged them. One chunk is one frame. */
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

const headRow = z.object({ last: z.number(), acked: z.number(), bytes: z.number(), full: z.number() });
const chunkRow = z.object({ first: z.number(), lines: z.string() });
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

  /** The chunk that contains the line after `after`, starting with that line; undefined when there is none. */
  readAfter(job: string, after: number): LogChunk | undefined {
    const row = this.#database
      .prepare('SELECT first, lines FROM chunks WHERE job = ? AND last > ? ORDER BY first LIMIT 1')
      .get(job, after);
    if (!row) return undefined;
    const { first, lines } = chunkRow.parse(row);
    const known = Math.max(0, after + 1 - first);
    return { first: first + known, lines: linesSchema.parse(JSON.parse(lines)).slice(known) };
  }

  /** The hub has all lines up to `through`. */
  acknowledge(job: string, through: number): void {
    this.#database.prepare('DELETE FROM chunks WHERE job = ? AND last <= ?').run(job, through);
    // After a power cut the hub may know more lines than this disk: their numbers must not be used again.
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
