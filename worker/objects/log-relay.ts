/** Passes build log lines from the runner's socket to the log's own object. The log of a job is looked up once per attempt. */
import { type HubFrameOf, protocolVersion, type RunnerFrameOf } from '../../protocol/frames.ts';
import { logStreamOf } from '../gateways/log-streams.ts';
import type { LogStreamCalls } from '../gateways/object-calls.ts';
import { findJob, hasDeployment } from '../store/job-store.ts';
import type { Dependencies } from '../usecases/dependencies.ts';

type LogTarget = DurableObjectStub<LogStreamCalls> | null;

export class LogRelay {
  readonly #namespace: DurableObjectNamespace<LogStreamCalls>;
  /** By attempt; null if the lines have no destination. */
  readonly #targets = new Map<string, Promise<LogTarget>>();

  constructor(namespace: DurableObjectNamespace<LogStreamCalls>) {
    this.#namespace = namespace;
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
    const looked = this.#targets.get(attempt) ?? this.#lookUp(db, runnerId, job, epoch);
    this.#targets.set(attempt, looked);
    try {
      const stream = await looked;
      const end = first + lines.length - 1;
      const receipt = stream ? await stream.append(first, lines, last) : { through: end, watched: false };
      const { through, watched } = receipt;
      return { v: protocolVersion, type: 'log-ack', job, through, watched };
    } catch (error) {
      // A stub that threw an error may stay broken, so the next frame gets a new one.
      this.#targets.delete(attempt);
      throw error;
    }
  }

  forget(): void {
    this.#targets.clear();
  }

  /** Lines from another runner, of an attempt that has ended, of a data job or of a deleted service are dropped. */
  async #lookUp(db: Dependencies['db'], runnerId: string, job: string, epoch: number): Promise<LogTarget> {
    const found = await findJob(db, job);
    if (!found || found.job.runnerId !== runnerId || found.job.epoch !== epoch) return null;
    if (!hasDeployment(found)) return null;
    return logStreamOf(this.#namespace, found.deploymentId);
  }
}
