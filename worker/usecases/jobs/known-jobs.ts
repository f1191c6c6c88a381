import { type FoundJob, findJob } from '../../store/jobs/job-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** A host has far fewer jobs at a time. */
const jobsMax = 100;

/**
 * The rows of jobs as this object read or wrote them last, so that each report need not read its row before it writes it. A row may have
 * changed since: what is written on the strength of it must be conditional on the row being as it is here (`unchanged` of job-store), and
 * what is refused must be refused by a fresh row.
 */
export class KnownJobs {
  readonly #jobs = new Map<string, FoundJob>();

  /** @returns the row as it is remembered */
  recall(jobId: string): FoundJob | undefined {
    return this.#jobs.get(jobId);
  }

  /** Reads the row, and remembers it. */
  async read(db: Dependencies['db'], jobId: string): Promise<FoundJob | undefined> {
    const found = await findJob(db, jobId);
    if (found) this.remember(found);
    else this.forget(jobId);
    return found;
  }

  remember(found: FoundJob): void {
    if (this.#jobs.size >= jobsMax) this.#jobs.clear();
    this.#jobs.set(found.job.id, found);
  }

  forget(jobId: string): void {
    this.#jobs.delete(jobId);
  }
}
