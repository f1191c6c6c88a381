/**
 * Host tasks: each run once however often it is sent, a project's after those of its services and those of one service one after the
 * other, and answered every time it is asked for.
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
  /** @throws Error when it should be tried again */
  run: (task: HostTask) => Promise<ProxyResult>;
  /** Ends the running job of a service that is about to be removed. */
  stopService: (serviceId: string) => Promise<void>;
}

/** After these the hub's own repeat (every minute) begins anew. */
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
    if (known || this.#underWay.has(id)) return; // done, or to be answered when it is
    const earlier = [...this.#underWay.values()].filter((other) => mustEndBefore(other.task, task));
    const ended = Promise.all(earlier.map((other) => other.ended))
      .then(() => this.#do(id, task))
      .finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, { task, ended });
  }

  /** What is under way ends by itself or with the process; the hub sends it again. */
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

/** A project's services go at the same time, and before its network. What is told of one service is done in that order. */
function mustEndBefore(earlier: HostTask, task: HostTask): boolean {
  if (task.kind === 'remove-project') return earlier.projectId === task.projectId;
  return earlier.kind !== 'remove-project' && earlier.serviceId === task.serviceId;
}
