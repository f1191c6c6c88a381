/** The outbox of reports (docs/decisions/0001), in order; each is kept until the hub has acknowledged it. */
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { type JobEvent, jobEventSchema } from '../../protocol/job-report.ts';

export interface Report {
  /** A globally unique id. */
  id: string;
  job: string;
  epoch: number;
  event: JobEvent;
}

const reportRow = z.object({ id: z.string(), job: z.string(), epoch: z.number(), event: z.string() });

export class ReportRecords {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(`
      CREATE TABLE IF NOT EXISTS reports (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
        job TEXT NOT NULL, epoch INTEGER NOT NULL, event TEXT NOT NULL
      ) STRICT`);
  }

  add({ id, job, epoch, event }: Report): void {
    this.#database
      .prepare('INSERT INTO reports (id, job, epoch, event) VALUES (?, ?, ?, ?)')
      .run(id, job, epoch, JSON.stringify(event));
  }

  /** @returns false if it was already removed */
  remove(id: string): boolean {
    return this.#database.prepare('DELETE FROM reports WHERE id = ?').run(id).changes > 0;
  }

  /** Removes the reports of attempts that were replaced by a newer one. */
  removeOlder(job: string, epoch: number): void {
    this.#database.prepare('DELETE FROM reports WHERE job = ? AND epoch < ?').run(job, epoch);
  }

  /** All reports in insertion order. */
  all(): Report[] {
    const rows = this.#database.prepare('SELECT id, job, epoch, event FROM reports ORDER BY seq').all();
    return z
      .array(reportRow)
      .parse(rows)
      .map(({ event, ...report }) => ({ ...report, event: jobEventSchema.parse(JSON.parse(event)) }));
  }
}
