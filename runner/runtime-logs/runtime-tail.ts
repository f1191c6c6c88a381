/**
 * Follows the log of one service across restarts and replacements of its container, and across lost connections. During a replacement there
 * are two containers: the new one is read from its first line, the old one to its last. Their lines are merged by Docker's time, which is
 * their id, so that reading them again gives the same ids in the same order. If readers are too slow, lines are dropped and counted, so
 * that readers see the present.
 */
import { protocolVersion, type RunnerFrameOf, type RuntimeLine } from '../../protocol/frames.ts';
import { type Clock, pause } from '../base/clock.ts';
import type { LoggedContainer } from '../docker/follow-log.ts';
import { FollowedContainer, type ReadLog, type TimedLine } from './followed-container.ts';
import { WaitingLines } from './waiting-lines.ts';

export interface TailParts {
  serviceId: string;
  host: {
    /** The live container, and others that are starting or ending. */
    loggedContainers(serviceId: string): Promise<LoggedContainer[]>;
    readLog: ReadLog;
  };
  clock: Clock;
  send: (frame: RunnerFrameOf<'runtime-logs'>) => boolean;
  /** Called when the tail has ended. */
  ended: () => void;
}

/** The time that a line waits for others to share its frame, and for an earlier line of another container. */
const flushMs = 250;
const unansweredMax = 4; // The limit of unanswered frames; each is answered when it was passed on.
const pastCharsMax = 256 * 1024; // The newest lines are kept.
const pollIntervalMs = 15_000; // The interval of checks for changes without a Docker event.
/**
 * Changes within this time are observed together. Until then, and until new containers had `firstLinesMs` for their first lines, no line is
 * sent, so that none overtakes an earlier one.
 */
const settleMs = 250;
const firstLinesMs = 100;
/** Readers confirm every 15 s; without confirmation for this long the tail stops. */
export const unwatchedMs = 60_000;
const answerLimitMs = 5_000; // After this time, an answer was lost.

export class RuntimeTail {
  readonly #parts: TailParts;
  readonly #end = new AbortController();
  #change = new AbortController();
  readonly #followed = new Map<string, FollowedContainer>();
  #liveId: string | undefined;
  /** The stopped container whose reason was already reported. */
  #saidStop: string | undefined;
  #exitsThrough = 0; // Microseconds: the last end of a container that was shown.
  #settledAt = 0;
  #paceMs = flushMs;
  readonly #waiting = new WaitingLines();
  #unanswered: { lines: RuntimeLine[]; sentAt: number }[] = [];
  #cancelFlush: (() => void) | undefined;
  #cancelUnwatched = () => {};

  constructor(parts: TailParts) {
    this.#parts = parts;
  }

  /** Sends the last lines after `after`, then follows until it is stopped. */
  start(after: number, lines: number): void {
    this.#keepAlive();
    void this.#run(after, lines);
  }

  /** A new reader wants past lines, or a reader is still reading (`lines: 0`). */
  asked(lines: number): void {
    this.#keepAlive();
    const oldest = this.#unanswered[0];
    if (oldest && this.#parts.clock.elapsed() - oldest.sentAt > answerLimitMs) this.reconnected();
    if (lines > 0) void this.#sendPastLines(0, lines).catch(() => this.#sendPast([]));
  }

  /** @param paceMs the time that lines wait, if the control plane has to save requests */
  answered(watched: boolean, paceMs = flushMs): void {
    this.#paceMs = Math.max(flushMs, paceMs);
    if (!watched) {
      this.stop();
      return;
    }
    this.#keepAlive();
    const isHeldUp = this.#unanswered.length >= unansweredMax;
    this.#unanswered.shift();
    if (isHeldUp || this.#paceMs === flushMs) this.#flush();
  }

  /** Sends unanswered frames again on a new connection, because they may be lost. */
  reconnected(): void {
    for (const frame of this.#unanswered) this.#send(frame.lines);
    this.#flush();
  }

  /** The host has changed: perhaps another container starts. */
  changed(): void {
    if (!this.#change.signal.aborted) this.#settledAt = this.#parts.clock.elapsed() + settleMs + firstLinesMs;
    this.#change.abort();
  }

  stop(): void {
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    this.#cancelFlush?.();
    this.#cancelUnwatched();
    this.#parts.ended();
  }

  async #run(after: number, lines: number): Promise<void> {
    const { clock } = this.#parts;
    this.#waiting.lastId = after;
    await this.#sendPastLines(after, lines).catch(() => this.#sendPast([]));
    while (!this.#end.signal.aborted) {
      this.#change = new AbortController();
      const wake = AbortSignal.any([this.#end.signal, this.#change.signal]);
      // If Docker does not answer, the next round tries again.
      await this.#observe().catch(() => undefined);
      await pause(clock, pollIntervalMs, wake);
      await pause(clock, settleMs, this.#end.signal);
    }
  }

  /** Sends the last lines of the containers; the live part starts after them. */
  async #sendPastLines(after: number, lines: number): Promise<void> {
    const { serviceId, host } = this.#parts;
    const containers = await host.loggedContainers(serviceId);
    const isFirst = this.#followed.size === 0;
    const read = await Promise.all(
      containers.map(async (container) => {
        const found = new FollowedContainer(container, host.readLog);
        const past = await found.past(after, lines, this.#end.signal);
        if (isFirst && !this.#followed.has(container.id)) {
          found.taken(past);
          this.#followed.set(container.id, found);
        }
        return past;
      }),
    );
    const exits = containers.flatMap(exitLines).filter(({ at }) => at > after);
    if (isFirst) this.#exitsThrough = Math.max(after, ...exits.map(({ at }) => at));
    let previous = after;
    const merged = [...read.flat(), ...exits]
      .sort((one, other) => one.at - other.at)
      .slice(lines > 0 ? -lines : 0)
      .map(({ at, ...line }) => {
        previous = Math.max(at, previous + 1);
        return { id: previous, ...line };
      });
    if (isFirst) {
      this.#liveId = liveOf(containers)?.id;
      this.#waiting.lastId = Math.max(this.#waiting.lastId, previous);
    }
    this.#sendPast(merged);
  }

  #sendPast(lines: RuntimeLine[]): void {
    let chars = 0;
    const fits = lines.findLastIndex(({ line }) => {
      chars += line.length;
      return chars > pastCharsMax;
    });
    const { serviceId, send } = this.#parts;
    send({ v: protocolVersion, type: 'runtime-logs', serviceId, part: 'past', lines: lines.slice(fits + 1) });
  }

  /** Starts to follow new containers. */
  async #observe(): Promise<void> {
    const { serviceId, host } = this.#parts;
    const containers = await host.loggedContainers(serviceId);
    for (const [id, { isOpen }] of this.#followed) {
      if (!isOpen && !containers.some((container) => container.id === id)) this.#followed.delete(id);
    }
    const exits = containers.flatMap(exitLines).filter(({ at }) => at > this.#exitsThrough);
    this.#exitsThrough = Math.max(this.#exitsThrough, ...exits.map(({ at }) => at));
    for (const exit of exits) this.#push(exit);
    for (const container of containers) {
      const followed = this.#followed.get(container.id) ?? new FollowedContainer(container, host.readLog);
      this.#followed.set(container.id, followed);
      if (followed.isOpen) continue;
      void followed.follow((line) => this.#add(line), this.#end.signal).catch(() => undefined);
    }
    const live = liveOf(containers);
    if (!live) return;
    if (this.#liveId && this.#liveId !== live.id) {
      this.#say(`The container was replaced: ${live.deploymentId} is running now.`);
    }
    this.#liveId = live.id;
    if (live.stopReason && this.#saidStop !== live.id) this.#say(live.stopReason);
    this.#saidStop = live.stopReason ? live.id : undefined;
  }

  #add(line: TimedLine): void {
    if (this.#waiting.isFull) {
      this.#waiting.dropped += 1;
      return;
    }
    if (this.#waiting.dropped > 0) this.#logDroppedLines();
    this.#push(line);
  }

  #logDroppedLines(): void {
    const count = this.#waiting.dropped.toLocaleString('en');
    this.#waiting.dropped = 0;
    this.#say(`${count} lines are left out here: the log grows faster than it can be sent.`);
  }

  /** Adds a line from the platform itself. */
  #say(line: string): void {
    this.#push({ at: this.#parts.clock.now() * 1000, stream: 'system', line });
  }

  #push(line: TimedLine): void {
    const { clock } = this.#parts;
    this.#waiting.add({ ...line, takenAt: clock.elapsed() });
    this.#cancelFlush ??= clock.after(this.#paceMs, () => this.#flush());
  }

  #flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const { clock } = this.#parts;
    const now = clock.elapsed();
    const isSettled = now >= this.#settledAt;
    while (isSettled && this.#unanswered.length < unansweredMax) {
      const lines = this.#waiting.takeFrame(now - flushMs);
      if (lines.length === 0) break;
      this.#unanswered.push({ lines, sentAt: now });
      this.#send(lines);
    }
    if (this.#waiting.count === 0 && this.#waiting.dropped > 0) this.#logDroppedLines();
    if (this.#waiting.count > 0 && this.#unanswered.length < unansweredMax) {
      this.#cancelFlush ??= clock.after(this.#paceMs, () => this.#flush());
    }
  }

  #send(lines: RuntimeLine[]): void {
    const { serviceId, send } = this.#parts;
    send({ v: protocolVersion, type: 'runtime-logs', serviceId, part: 'live', lines });
  }

  #keepAlive(): void {
    this.#cancelUnwatched();
    this.#cancelUnwatched = this.#parts.clock.after(unwatchedMs, () => this.stop());
  }
}

const liveOf = (containers: readonly LoggedContainer[]) => containers.find(({ isLive }) => isLive);

const exitLines = ({ exits = [], replica }: LoggedContainer): TimedLine[] =>
  exits.map(({ at, sentence }) => ({ at, stream: 'system', line: sentence, replica }));
