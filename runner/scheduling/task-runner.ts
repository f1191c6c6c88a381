/**
 * Runs host tasks. Each task runs once, however often it is sent, and its result is sent on every request. Tasks of one service run one
 * after the other; a project's tasks run after those of its services.
 */
import type { HubFrameOf, RunnerFrame } from '../../protocol/frames.ts';
import { protocolVersion } from '../../protocol/frames.ts';
import type { HostTask, ProxyResult } from '../../protocol/host-task.ts';
import { backoffMs } from '../base/backoff.ts';
import { type Clock, pause } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { TaskRecords } from '../journal/task-records.ts';

export interface TaskRunnerParts {
  records: TaskRecords;
  clock: Clock;
  logger: Logger;
  send: (frame: RunnerFrame) => boolean;
  /** @throws Error when the task should be retried */
  run: (task: HostTask) => Promise<ProxyResult>;
  /** Ends the running job of a service that is about to be removed. */
  stopService: (serviceId: string) => Promise<void>;
}

/** The number of tries before the hub's own repeat (every minute) starts over. */
const triesMax = 4;
const retryPause = { minMs: 1_000, maxMs: 10_000 };

export class TaskRunner {
  readonly #parts: TaskRunnerParts;
  readonly #underWay = new Map<string, { task: HostTask; ended: Promise<void> }>();
  readonly #stopping = new AbortController();

  constructor(parts: TaskRunnerParts) {
    this.#parts = parts;
  }

  take({ id, task }: HubFrameOf<'task'>): void {
    const known = this.#parts.records.answer(id);
    if (known) this.#answer(id, known);
    if (known || this.#underWay.has(id)) return; // done, or answered when it is done
    const earlier = [...this.#underWay.values()].filter((other) => mustEndBefore(other.task, task));
    const ended = Promise.all(earlier.map((other) => other.ended))
      .then(() => this.#do(id, task))
      .finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, { task, ended });
  }

  /** Running tasks end by themselves or with the process; the hub sends unfinished ones again. */
  stop(): void {
    this.#stopping.abort();
  }

  async #do(id: string, task: HostTask): Promise<void> {
    const { records, clock, logger, run, stopService } = this.#parts;
    const { signal } = this.#stopping;
    for (let tries = 1; tries <= triesMax && !signal.aborted; tries++) {
      try {
        if (task.kind === 'remove-service') await stopService(task.serviceId);
        const proxy = await run(task);
        records.done(id, proxy, clock.now());
        return this.#answer(id, proxy);
      } catch (error) {
        logger.warn(`task ${id} (${task.kind}) failed ${tries} times: ${String(error)}`);
      }
      if (tries < triesMax) await pause(clock, backoffMs(tries - 1, retryPause, 1), signal);
    }
  }

  #answer(id: string, proxy: ProxyResult): void {
    this.#parts.send({ v: protocolVersion, type: 'task-done', id, proxy });
  }
}

/** The services of a project run in parallel, and before the project's network. Tasks of one service keep their order. */
function mustEndBefore(earlier: HostTask, task: HostTask): boolean {
  if (task.kind === 'remove-project') return earlier.projectId === task.projectId;
  return earlier.kind !== 'remove-project' && earlier.serviceId === task.serviceId;
}
