/** Keeps the logs of all services of this host: follows every container from its first line to its last. */
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import type { AppContainer } from '../docker/apps/app-containers.ts';
import { KeptContainer, type KeptContainerParts } from './kept-container.ts';
import type { NewLine } from './kept-line.ts';
import type { KeptLogs } from './kept-logs.ts';
import type { ContainerLine } from './service-log.ts';

export interface LogKeeperParts extends Pick<KeptContainerParts, 'state' | 'readLog' | 'exitsOf'> {
  list(): Promise<AppContainer[]>;
  logs: KeptLogs;
  clock: Clock;
  logger: Logger;
}

/** The time that a line waits for others that are written with it, and for an earlier line of another container. */
const flushMs = 250;
/** The number of characters that are written without waiting. */
const waitingCharsMax = 256 * 1024;
/** The interval of checks for changes without an event of Docker. */
const pollMs = 30_000;
/** Changes within this time are observed together. */
const settleMs = 250;
const fullPauseMs = 30_000;
const tidyMs = 3_600_000;

/** The minimum time before an ended log is opened again. */
const reopenMs = 1_000;
/** The number of times that the pause doubles for a log that Docker can't read (a file damaged by a power cut), up to about a minute. */
const doublingsMax = 6;
/** The number of failures in a row after which they are logged, once. */
const failuresSaid = 3;

interface Entry {
  of: AppContainer;
  kept: KeptContainer;
  /** True if the container has ended and all its lines are kept. */
  isRead: boolean;
  /** Milliseconds of `clock.elapsed()`. */
  openedAt: number;
  /** The number of failures in a row to read it. */
  failures: number;
}

/** The time when the log may be opened again. */
const reopenAt = ({ openedAt, failures }: Entry) =>
  openedAt + reopenMs * 2 ** Math.min(failures, doublingsMax);

interface Waiting {
  lines: ContainerLine[];
  chars: number;
}

export class LogKeeper {
  readonly #parts: LogKeeperParts;
  readonly #end = new AbortController();
  #change = new AbortController();
  readonly #containers = new Map<string, Entry>();
  readonly #waiting = new Map<string, Waiting>();
  #cancelFlush: (() => void) | undefined;
  /** The time until which no log is read, because the disk is full. Epoch milliseconds. */
  #fullUntil = 0;
  #full = new AbortController();

  constructor(parts: LogKeeperParts) {
    this.#parts = parts;
  }

  start(): void {
    void this.#run();
    void this.#tidyOften();
  }

  /** Containers were started, stopped or removed. */
  changed(): void {
    this.#change.abort();
  }

  /** Writes the lines read so far. The next process continues logs that are still being read. */
  stop(): void {
    this.#end.abort();
    this.#cancelFlush?.();
    this.#flush();
  }

  async #run(): Promise<void> {
    const { clock } = this.#parts;
    while (!this.#end.signal.aborted) {
      this.#change = new AbortController();
      const wake = AbortSignal.any([this.#end.signal, this.#change.signal]);
      // If Docker does not answer, the next round tries again.
      await this.#observe().catch(() => undefined);
      await pause(clock, pollMs, wake);
      await pause(clock, settleMs, this.#end.signal);
    }
  }

  async #tidyOften(): Promise<void> {
    while (!this.#end.signal.aborted) {
      await this.#parts.logs.tidy();
      await pause(this.#parts.clock, tidyMs, this.#end.signal);
    }
  }

  async #observe(): Promise<void> {
    const { list, clock } = this.#parts;
    if (clock.elapsed() < this.#fullUntil) return;
    const found = await list();
    this.#forgetGone(found);
    for (const container of found) {
      const entry = this.#containers.get(container.id) ?? {
        ...{
          of: container,
          kept: this.#keep(container),
          isRead: false,
          failures: 0,
          openedAt: Number.NEGATIVE_INFINITY,
        },
      };
      this.#containers.set(container.id, entry);
      const isDue = clock.elapsed() >= reopenAt(entry);
      if (entry.kept.isOpen || (entry.isRead && !container.isRunning)) await markEnds(entry.kept);
      else if (isDue) void this.#follow(entry);
    }
  }

  /** A container that has ended is read once, to its end. */
  async #follow(entry: Entry): Promise<void> {
    const { clock } = this.#parts;
    const signal = AbortSignal.any([this.#end.signal, this.#full.signal]);
    entry.openedAt = clock.elapsed();
    try {
      await entry.kept.follow(signal);
      entry.isRead = !signal.aborted;
      entry.failures = 0;
    } catch (error) {
      entry.isRead = false;
      if (!signal.aborted) this.#failed(entry, error);
    }
    if (signal.aborted) return;
    // The event of the container's end arrives at the same time.
    await pause(clock, settleMs, signal);
    await markEnds(entry.kept);
    await pause(clock, reopenAt(entry) - clock.elapsed(), signal);
    this.changed();
  }

  /** A log that could be read for a while was interrupted: that is another failure. */
  #failed(entry: Entry, error: unknown): void {
    const { clock, logger } = this.#parts;
    const wasRead = clock.elapsed() - entry.openedAt > reopenMs * 2 ** doublingsMax;
    entry.failures = wasRead ? 1 : entry.failures + 1;
    const { id, serviceId } = entry.of;
    if (entry.failures === failuresSaid)
      logger.warn(
        `${serviceId}: Docker can't read the log of the container ${id.slice(0, 12)}, so its lines are not kept until its next deployment (${messageOf(error)})`,
      );
  }

  #keep(container: AppContainer): KeptContainer {
    const { state, readLog, exitsOf, logs } = this.#parts;
    return new KeptContainer({
      ...{ container, state, readLog, exitsOf },
      resumePoint: () => logs.of(container.serviceId).resumePoint(container.id),
      markAt: () => logs.of(container.serviceId).markAt(container.id),
      take: (lines) => this.#take(container, lines),
      flush: () => this.#write(container.serviceId),
    });
  }

  #take(container: AppContainer, lines: readonly NewLine[]): void {
    const { serviceId } = container;
    const waiting = this.#waiting.get(serviceId) ?? { lines: [], chars: 0 };
    this.#waiting.set(serviceId, waiting);
    for (const line of lines) {
      waiting.lines.push({ ...line, container });
      waiting.chars += line.text.length;
    }
    if (waiting.chars > waitingCharsMax) this.#write(serviceId);
    else this.#cancelFlush ??= this.#parts.clock.after(flushMs, () => this.#flush());
  }

  #flush(): void {
    this.#cancelFlush = undefined;
    for (const serviceId of [...this.#waiting.keys()]) {
      try {
        this.#write(serviceId);
      } catch {
        return; // No line is waiting any more.
      }
    }
  }

  /** @throws NoRoomForLogs */
  #write(serviceId: string): void {
    const waiting = this.#waiting.get(serviceId);
    this.#waiting.delete(serviceId);
    if (!waiting || waiting.lines.length === 0) return;
    try {
      this.#parts.logs.append(
        serviceId,
        waiting.lines.sort((one, other) => one.at - other.at),
      );
    } catch (error) {
      this.#pauseWhileFull(error);
      throw error;
    }
  }

  /** Lines that were read but not written are read again later: all containers continue after their last kept line. */
  #pauseWhileFull(error: unknown): void {
    const { clock, logger } = this.#parts;
    if (this.#full.signal.aborted) return;
    logger.warn(
      `logs of services are not kept now, and are tried again in ${fullPauseMs / 1000} s: ${error}`,
    );
    this.#fullUntil = clock.elapsed() + fullPauseMs;
    this.#full.abort();
    this.#waiting.clear();
    clock.after(fullPauseMs, () => {
      this.#full = new AbortController();
      this.changed();
    });
  }

  #forgetGone(found: readonly AppContainer[]): void {
    const ids = new Set(found.map(({ id }) => id));
    for (const [id, { kept }] of this.#containers) {
      if (kept.isOpen) ids.add(id);
      else if (!ids.has(id)) this.#containers.delete(id);
    }
    for (const serviceId of new Set(found.map((one) => one.serviceId)))
      this.#parts.logs.of(serviceId).retain(ids);
  }
}

/** If Docker does not answer, the next round tries again. */
const markEnds = (kept: KeptContainer) => kept.markEnds().catch(() => undefined);
