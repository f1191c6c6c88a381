/**
 * Sends the lines of one drain. The kept logs are its buffer, so an outage of the receiver needs no memory: the drain continues after the
 * last accepted line. Lines that have waited for too long, or that the host will soon remove, are dropped and counted, and the number is
 * reported to the receiver. A line arrives twice only if the host loses the receiver's answer; it then has the same id.
 */
import { type Drain, type DrainStatus, drainLagHours } from '../../protocol/logs/drains.ts';
import {
  accessLogOf,
  type FoundLine,
  isAccessLog,
  type LogSearch,
  type LogSearchAnswer,
  searchedServicesMax,
  serviceOfLog,
} from '../../protocol/logs/kept-logs.ts';
import { logLevels } from '../../protocol/logs/log-levels.ts';
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import { accessShare } from '../kept-logs/kept-logs.ts';
import type { DrainedLine } from './drain-formats.ts';
import type { SendLines } from './drain-sender.ts';
import { type DrainState, newDrainState } from './drain-state.ts';
import { dropNotes, type KeptPlaces, keptSince } from './dropped-lines.ts';

export interface LogDrainParts {
  drain: Drain;
  logs: KeptPlaces;
  search(ask: LogSearch): Promise<LogSearchAnswer>;
  send: SendLines;
  /** The state stored by the previous process; `undefined` for a new drain. */
  stored: DrainState | undefined;
  store(state: DrainState): Promise<void>;
  /** The limit, on disk, of a service's kept lines that may wait. */
  waitingBytesMax: number;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
}

/** Lines of one request. */
const batchMax = 500;
/** The pause between two checks for kept lines, and between two batches that are not full. */
const lookMs = 1_000;
/** The pauses after failed attempts; the last one repeats. */
const retryMs = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
const hourMicroseconds = 3_600_000_000;

export class LogDrain {
  readonly #parts: LogDrainParts;
  readonly #state: DrainState;
  readonly #names: ReadonlyMap<string, string>;
  #failures = 0;

  constructor(parts: LogDrainParts) {
    this.#parts = parts;
    const { drain, logs, stored } = parts;
    this.#names = new Map(
      drain.services.flatMap(({ id, slug }) => [id, accessLogOf(id)].map((logId) => [logId, slug] as const)),
    );
    // A new drain begins with the present; a service that is added later, with its first line.
    const now = () => Object.fromEntries([...this.#names.keys()].map((id) => [id, logs.of(id).lastId]));
    this.#state = stored ?? newDrainState(now());
  }

  get status(): DrainStatus {
    const { places: _p, tried: _t, untoldLines: _l, untoldGaps: _g, ...status } = this.#state;
    return status;
  }

  /** Sends until `ended` is aborted; a batch in progress is completed, unless `cut` is aborted too. Never rejects. */
  async run(ended: AbortSignal, cut: AbortSignal): Promise<void> {
    const { clock, stored } = this.#parts;
    if (!stored) await this.#store();
    while (!ended.aborted) {
      let waitMs = lookMs;
      try {
        const isFull = await this.#sendNext(ended, cut);
        this.#failures = 0;
        if (isFull) waitMs = 0;
      } catch (error) {
        if (cut.aborted) return;
        waitMs = await this.#failed(error);
      }
      if (waitMs > 0) await pause(clock, waitMs, ended);
    }
  }

  /** @returns true if there is more to send at once */
  async #sendNext(ended: AbortSignal, cut: AbortSignal): Promise<boolean> {
    await this.#dropOld(ended);
    const services = this.#waiting();
    if (services.length === 0 || ended.aborted) return false;
    const answer = await this.#read({ services, limit: batchMax });
    const lines = answer.lines.map((line) => this.#named(line));
    const isEnd = answer.stopped === 'end';
    const [first] = lines;
    if (first) {
      this.#tries(answer.lines);
      const { untoldLines, untoldGaps } = this.#state;
      await this.#parts.send([...dropNotes(first, untoldLines, untoldGaps), ...lines], cut);
      Object.assign(this.#state, { lastSentAt: this.#parts.clock.now(), lastError: null, tried: {} });
      this.#state.sentLines += lines.length;
      this.#state.untoldLines -= untoldLines;
      this.#state.untoldGaps -= untoldGaps;
    }
    this.#state.waitingSince = isEnd ? null : (millisecondsOf(lines.at(-1)) ?? this.#state.waitingSince);
    for (const { serviceId, from, last } of answer.services)
      this.#state.places[serviceId] = isEnd ? Math.max(last, from ?? 0) : (from ?? 0);
    await this.#store();
    return !isEnd;
  }

  /** Services with lines after their place. Those that were served the longest ago are first, so that busy ones delay no other. */
  #waiting(): LogSearch['services'] {
    const { places } = this.#state;
    return [...this.#names.keys()]
      .filter((id) => this.#parts.logs.of(id).lastId > (places[id] ?? 0))
      .sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0))
      .map((serviceId) => ({ serviceId, from: places[serviceId] ?? null }))
      .slice(0, searchedServicesMax);
  }

  /** Remembers the lines of this attempt, so that their removal before the receiver has accepted them is noticed. */
  #tries(lines: readonly FoundLine[]): void {
    const { tried } = this.#state;
    for (const { serviceId, id } of lines) tried[serviceId] ??= id;
    this.#state.waitingSince = millisecondsOf(lines[0]) ?? null;
  }

  /** Counts lines that have waited for too long and leaves them out. */
  async #dropOld(ended: AbortSignal): Promise<void> {
    const { clock, logs, waitingBytesMax } = this.#parts;
    const oldest = clock.now() * 1_000 - drainLagHours * hourMicroseconds;
    for (const { serviceId } of this.#waiting()) {
      const { firstId, allowedId } = keptSince(
        logs.of(serviceId).directory,
        isAccessLog(serviceId) ? waitingBytesMax * accessShare : waitingBytesMax,
      );
      this.#missRemoved(serviceId);
      this.#missGone(serviceId, firstId);
      const until = Math.max(oldest, allowedId);
      if ((this.#state.places[serviceId] ?? 0) >= until - 1) continue;
      for (let isEnd = false; !isEnd && !ended.aborted; ) {
        this.#missRemoved(serviceId);
        const from = this.#state.places[serviceId] ?? null;
        const answer = await this.#read({ services: [{ serviceId, from }], until, limit: 1_000 });
        this.#state.droppedLines += answer.lines.length;
        this.#state.untoldLines += answer.lines.length;
        isEnd = answer.stopped === 'end';
        this.#state.places[serviceId] = isEnd ? until - 1 : (answer.services[0]?.from ?? until - 1);
      }
      delete this.#state.tried[serviceId];
      await this.#store();
    }
  }

  /** The host removes its oldest lines when its disk is full, including waiting lines. */
  #missGone(serviceId: string, firstKeptId: number): void {
    const tried = this.#state.tried[serviceId];
    if (tried === undefined || tried >= firstKeptId) return;
    this.#miss(serviceId);
  }

  /** Counts lines that were not even tried, such as those of services that print more than the host keeps between two checks. */
  #missRemoved(serviceId: string): void {
    const { removedId } = this.#parts.logs.of(serviceId);
    const place = this.#state.places[serviceId];
    if (place === undefined || removedId <= place) return;
    this.#miss(serviceId);
    this.#state.places[serviceId] = removedId;
  }

  #miss(serviceId: string): void {
    this.#state.gaps += 1;
    this.#state.untoldGaps += 1;
    delete this.#state.tried[serviceId];
  }

  async #read(asked: Pick<LogSearch, 'services' | 'limit' | 'until'>) {
    const { logs, drain } = this.#parts;
    const { level } = drain;
    const removedBefore = asked.services.map(({ serviceId }) => logs.of(serviceId).removedId);
    const levels = level === null ? {} : { levels: logLevels.slice(logLevels.indexOf(level)) };
    const answer = await this.#parts.search({ order: 'oldest', ...levels, ...asked });
    if ('refused' in answer) throw new Error(answer.reason);
    for (const [index, { serviceId, from }] of asked.services.entries()) {
      const { removedId } = logs.of(serviceId);
      const isNew = removedId > Math.max(from ?? 0, removedBefore[index] ?? 0);
      if (isNew && !answer.lines.some((line) => line.serviceId === serviceId && line.id <= removedId))
        this.#miss(serviceId);
    }
    return answer;
  }

  #named(line: FoundLine): DrainedLine {
    const { serviceId } = line;
    const service = this.#names.get(serviceId) ?? '';
    return { ...line, serviceId: serviceOfLog(serviceId), service, project: this.#parts.drain.project };
  }

  async #failed(error: unknown): Promise<number> {
    const { drain, clock, logger } = this.#parts;
    const reason = messageOf(error).slice(0, 1_000);
    if (this.#state.lastError !== reason) logger.warn(`the log drain ${drain.id} can't send: ${reason}`);
    Object.assign(this.#state, { lastError: reason, lastErrorAt: clock.now() });
    // Only once, so that the next process knows the tried lines.
    if (this.#failures === 0) await this.#store();
    const waitMs = retryMs[Math.min(this.#failures, retryMs.length - 1)] ?? lookMs;
    this.#failures += 1;
    return waitMs;
  }

  /** A full disk loses at most the place: lines are then sent twice. */
  async #store(): Promise<void> {
    try {
      await this.#parts.store(this.#state);
    } catch (error) {
      this.#parts.logger.warn(
        `the place of the log drain ${this.#parts.drain.id} can't be kept: ${messageOf(error)}`,
      );
    }
  }
}

const millisecondsOf = (line: FoundLine | undefined) => line && Math.floor(line.id / 1_000);
