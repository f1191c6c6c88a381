/** Passes build log lines from the runner's socket to the log's own object. The log of a job is looked up once per attempt. */
import { type HubFrameOf, protocolVersion, type RunnerFrameOf } from '../../protocol/frames.ts';
import { logStreamOf } from '../gateways/log-streams.ts';
import type { LogStreamCalls } from '../gateways/object-calls.ts';
import type { FoundJob } from '../store/job-store.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import type { KnownJobs } from '../usecases/jobs/known-jobs.ts';
import { JoinedLog, type LogTarget } from './joined-log.ts';

export class LogRelay {
  readonly #namespace: DurableObjectNamespace<LogStreamCalls>;
  readonly #known: KnownJobs;
  /** By attempt. */
  readonly #logs = new Map<string, JoinedLog>();

  constructor(namespace: DurableObjectNamespace<LogStreamCalls>, known: KnownJobs) {
    this.#namespace = namespace;
    this.#known = known;
  }

  /**
   * Passes lines on and resolves when they are on disk. Frames of a job may be passed on without waiting for each other; they reach the log
   * in the order of the calls.
   * @throws if the lines could not be stored: they must not be acknowledged, and the runner sends them again
   */
  async relay(
    { db }: Pick<Dependencies, 'db'>,
    runnerId: string,
    frame: RunnerFrameOf<'logs'>,
  ): Promise<HubFrameOf<'log-ack'>> {
    const { job, epoch, first, lines, last } = frame;
    const attempt = `${job} ${epoch}`;
    const log = this.#logs.get(attempt) ?? new JoinedLog(this.#lookUp(db, runnerId, job, epoch));
    this.#logs.set(attempt, log);
    try {
      const { through, watched } = await log.append(first, lines, last);
      return { v: protocolVersion, type: 'log-ack', job, through, watched };
    } catch (error) {
      // A stub that threw an error may stay broken, so the next frame gets a new one.
      if (this.#logs.get(attempt) === log) this.#logs.delete(attempt);
      throw error;
    }
  }

  forget(): void {
    this.#logs.clear();
  }

  /** Lines from another runner, of an attempt that has ended, of a data job or of a deleted service are dropped. */
  async #lookUp(db: Dependencies['db'], runnerId: string, job: string, epoch: number): Promise<LogTarget> {
    const isAttempt = (found: FoundJob | undefined) =>
      found?.job.runnerId === runnerId && found.job.epoch === epoch;
    const recalled = this.#known.recall(job);
    const found = isAttempt(recalled) ? recalled : await this.#known.read(db, job);
    if (!found || !isAttempt(found)) return null;
    const log = found.deploymentId ?? found.runId;
    return log === null ? null : logStreamOf(this.#namespace, log);
  }
}
