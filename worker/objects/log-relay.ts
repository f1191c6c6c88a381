/** Passes build log lines from the runner's socket to the log's own object. A job's log is looked up once per attempt. */
import { type HubFrameOf, protocolVersion, type RunnerFrameOf } from '../../protocol/frames.ts';
import { logStreamOf } from '../gateways/log-streams.ts';
import type { LogStreamCalls } from '../gateways/object-calls.ts';
import type { FoundJob } from '../store/jobs/job-store.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import type { KnownJobs } from '../usecases/jobs/known-jobs.ts';
import { JoinedLog } from './joined-log.ts';
import type { LogTickets } from './log-tickets.ts';

interface Relayed {
  /** Null if the lines have no destination. */
  id: Promise<string | null>;
  log: JoinedLog;
}

export class LogRelay {
  readonly #namespace: DurableObjectNamespace<LogStreamCalls>;
  readonly #known: KnownJobs;
  readonly #tickets: LogTickets;
  /** Keys are attempts. */
  readonly #logs = new Map<string, Relayed>();

  constructor(namespace: DurableObjectNamespace<LogStreamCalls>, known: KnownJobs, tickets: LogTickets) {
    this.#namespace = namespace;
    this.#known = known;
    this.#tickets = tickets;
  }

  /**
   * Passes lines on and resolves when they are on disk. Frames of a job may be passed on without waiting for each other; they reach the log
   * in the order of the calls. While the log has readers, the answer contains a ticket for a separate socket of the host.
   * @throws if the lines could not be stored: they must not be acknowledged, and the runner sends them again
   */
  async relay(
    { db }: Pick<Dependencies, 'db'>,
    runnerId: string,
    frame: RunnerFrameOf<'logs'>,
  ): Promise<HubFrameOf<'log-ack'>> {
    const { job, epoch, first, lines, last } = frame;
    const attempt = `${job} ${epoch}`;
    const relayed = this.#logs.get(attempt) ?? this.#open(this.#lookUp(db, runnerId, job, epoch));
    this.#logs.set(attempt, relayed);
    try {
      const { watched, ...receipt } = await relayed.log.append(first, lines);
      const id = watched && !last ? await relayed.id : null;
      const ticket =
        id === null ? undefined : await this.#tickets.give(runnerId, { kind: 'job', id, job, epoch });
      return { v: protocolVersion, type: 'log-ack', job, watched, ticket, ...receipt };
    } catch (error) {
      // A stub that threw an error may stay broken, so the next frame gets a new one.
      if (this.#logs.get(attempt) === relayed) this.#logs.delete(attempt);
      throw error;
    }
  }

  #open(id: Promise<string | null>): Relayed {
    const target = id.then((log) => (log === null ? null : logStreamOf(this.#namespace, log)));
    return { id, log: new JoinedLog(target) };
  }

  forget(): void {
    this.#logs.clear();
  }

  /** Discards lines from another runner, of an attempt that has ended, of a data job or of a deleted service. */
  async #lookUp(db: Dependencies['db'], runnerId: string, job: string, epoch: number) {
    const isAttempt = (found: FoundJob | undefined) =>
      found?.job.runnerId === runnerId && found.job.epoch === epoch;
    const recalled = this.#known.recall(job);
    const found = isAttempt(recalled) ? recalled : await this.#known.read(db, job);
    if (!found || !isAttempt(found)) return null;
    return found.deploymentId ?? found.runId;
  }
}
