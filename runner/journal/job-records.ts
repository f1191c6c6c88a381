/**
 * Jobs that this runner accepted: `taken` (not started: nothing to recover), `running`, `ended`. One row per job, for its latest attempt.
 */
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { type JobFacts, type JobPhase, type JobResult, jobFactsSchema } from '../../protocol/job-report.ts';
import { type JobSpec, jobSpecSchema } from '../../protocol/job-spec.ts';

export interface Attempt {
  job: string;
  epoch: number;
}

export interface UnfinishedJob extends Attempt {
  /** `null` if this version of the program can't read it. */
  spec: JobSpec | null;
  /** The last phase that the job entered. */
  phase: string | null;
  facts: JobFacts;
  checkpoint: Record<string, unknown>;
}

const textRow = z.object({ job: z.string(), epoch: z.number() });
const stateRow = textRow.extend({
  state: z.enum(['taken', 'running', 'ended']),
  result: z.string().nullable(),
});
const unfinishedRow = textRow.extend({
  spec: z.string(),
  phase: z.string().nullable(),
  facts: z.string(),
  checkpoint: z.string(),
});
const checkpointSchema = z.record(z.string(), z.unknown());

export class JobRecords {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(`
      CREATE TABLE IF NOT EXISTS jobs (
        job TEXT PRIMARY KEY, epoch INTEGER NOT NULL, spec TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('taken', 'running', 'ended')),
        phase TEXT, facts TEXT NOT NULL DEFAULT '{}', checkpoint TEXT NOT NULL DEFAULT '{}',
        result TEXT, ended_at INTEGER
      ) STRICT, WITHOUT ROWID`);
  }

  find(job: string): { epoch: number; state: 'taken' | 'running' | 'ended'; result: unknown } | undefined {
    const row = this.#database.prepare('SELECT job, epoch, state, result FROM jobs WHERE job = ?').get(job);
    if (!row) return undefined;
    const { epoch, state, result } = stateRow.parse(row);
    return { epoch, state, result: result === null ? undefined : JSON.parse(result) };
  }

  /** A newer attempt of a job replaces the older one. */
  take({ job, epoch }: Attempt, spec: JobSpec): void {
    this.#database
      .prepare(`INSERT OR REPLACE INTO jobs (job, epoch, spec, state) VALUES (?, ?, ?, 'taken')`)
      .run(job, epoch, JSON.stringify(spec));
  }

  begin({ job, epoch }: Attempt): void {
    this.#database.prepare(`UPDATE jobs SET state = 'running' WHERE job = ? AND epoch = ?`).run(job, epoch);
  }

  enter({ job, epoch }: Attempt, phase: JobPhase, facts: JobFacts): void {
    this.#database
      .prepare('UPDATE jobs SET phase = ?, facts = ? WHERE job = ? AND epoch = ?')
      .run(phase, JSON.stringify(facts), job, epoch);
  }

  checkpoint({ job, epoch }: Attempt, data: Record<string, unknown>): void {
    this.#database
      .prepare('UPDATE jobs SET checkpoint = ? WHERE job = ? AND epoch = ?')
      .run(JSON.stringify(data), job, epoch);
  }

  end({ job, epoch }: Attempt, result: JobResult, at: number): void {
    this.#database
      .prepare(`UPDATE jobs SET state = 'ended', result = ?, ended_at = ? WHERE job = ? AND epoch = ?`)
      .run(JSON.stringify(result), at, job, epoch);
  }

  /** Jobs that a previous process left unfinished. */
  running(): UnfinishedJob[] {
    const rows = this.#database
      .prepare(
        `SELECT job, epoch, spec, phase, facts, checkpoint FROM jobs WHERE state = 'running' ORDER BY job`,
      )
      .all();
    return z.array(unfinishedRow).parse(rows).map(parseUnfinished);
  }

  /**
   * Deletes jobs that had not started when the process ended: no work was done for them and their secrets are lost. The hub does not see
   * them in the hello and sends them again.
   */
  forgetTaken(): string[] {
    const rows = this.#database.prepare(`DELETE FROM jobs WHERE state = 'taken' RETURNING job, epoch`).all();
    return z
      .array(textRow)
      .parse(rows)
      .map(({ job }) => job);
  }

  /** Deletes jobs that ended before `before`. @returns their ids */
  prune(before: number): string[] {
    const rows = this.#database
      .prepare(
        `DELETE FROM jobs WHERE ended_at < ? AND job NOT IN (SELECT job FROM reports) RETURNING job, epoch`,
      )
      .all(before);
    return z
      .array(textRow)
      .parse(rows)
      .map(({ job }) => job);
  }
}

function parseUnfinished({ job, epoch, ...row }: z.infer<typeof unfinishedRow>): UnfinishedJob {
  const facts = jobFactsSchema.safeParse(JSON.parse(row.facts));
  return {
    job,
    epoch,
    spec: jobSpecSchema.safeParse(JSON.parse(row.spec)).data ?? null,
    phase: row.phase,
    facts: facts.data ?? {},
    checkpoint: checkpointSchema.parse(JSON.parse(row.checkpoint)),
  };
}
