/** The results of jobs: each is journalled together with its report, and reported again when the hub starts an ended job again. */
import { randomUUID } from 'node:crypto';
import { type JobResult, jobResultSchema } from '../../protocol/job-report.ts';
import { type Clock, pause } from '../base/clock.ts';
import { crashPoint } from '../base/crash-point.ts';
import type { Logger } from '../base/logger.ts';
import type { Attempt } from '../journal/job-records.ts';
import type { Journal } from '../journal/journal.ts';
import type { Report } from '../journal/report-records.ts';

const journalRetryMs = 5_000;

export interface ResultParts {
  journal: Journal;
  clock: Clock;
  logger: Logger;
  report: (report: Report) => void;
}

export class JobResults {
  readonly #parts: ResultParts;

  constructor(parts: ResultParts) {
    this.#parts = parts;
  }

  /** Ends the job in the journal and reports it. @throws Error when the journal can't be written */
  record({ job, epoch }: Attempt, result: JobResult): void {
    const { journal, clock, report } = this.#parts;
    const last: Report = { id: randomUUID(), job, epoch, event: { type: 'result', result } };
    journal.transaction(() => {
      journal.jobs.end({ job, epoch }, result, clock.now());
      journal.reports.add(last);
    });
    crashPoint('report:journalled');
    report(last);
  }

  /**
   * While the journal can't be written (a full disk), the job stays held, so that it does not count as lost, and is ended once that is
   * possible. If the process ends before, the next one recovers it.
   */
  async recordOnceWritable(attempt: Attempt, result: JobResult, isClosing: () => boolean): Promise<void> {
    for (;;) {
      try {
        return this.record(attempt, result);
      } catch (error) {
        this.#parts.logger.error(`the end of ${attempt.job} could not be journalled`, error);
      }
      if (isClosing()) return;
      await pause(this.#parts.clock, journalRetryMs);
    }
  }

  /** @param ended the result stored in the journal */
  reportAgain({ job, epoch }: Attempt, ended: unknown): void {
    const { journal, report } = this.#parts;
    if (journal.reports.all().some((one) => one.job === job && one.event.type === 'result')) return;
    const result = jobResultSchema.parse(ended);
    const again: Report = { id: randomUUID(), job, epoch, event: { type: 'result', result } };
    journal.reports.add(again);
    report(again);
  }
}
