import { type FoundJob, findJob } from '../../store/jobs/job-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** A host has far fewer jobs at a time. */
const jobsMax = 100;

/**
 * The job rows that this object last read or wrote, so that a report does not have to read its row before writing. A row may have
 * changed since: writes must be conditional on the row (`unchanged` of job-store), and a refusal must read it again first.
 */
export class KnownJobs {
  readonly #jobs = new Map<string, FoundJob>();

  /** @returns the stored row */
  recall(jobId: string): FoundJob | undefined {
    return this.#jobs.get(jobId);
  }

  /** Reads and stores the row. */
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
