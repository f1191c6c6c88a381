/**
 * Follows the log of one service's container for those who read it: across restarts and replacements of the container, and across lost
 * connections. What nobody can take in time is dropped and counted, so that readers see what happens now.
 */
import { protocolVersion, type RunnerFrame, type RuntimeLine } from '../../protocol/frames.ts';
import { type Clock, pause } from '../clock.ts';
import type { LiveContainer, LoggedLine, LogRange } from '../docker/follow-log.ts';
import { presentable } from '../scheduling/presentable-line.ts';
import { type SecretMask, secretMask } from '../scheduling/secret-mask.ts';

export interface TailParts {
  serviceId: string;
  host: {
    liveContainer(serviceId: string): Promise<LiveContainer | undefined>;
    readLog(id: string, range: LogRange, signal: AbortSignal): AsyncIterable<LoggedLine[]>;
  };
  clock: Clock;
  send: (frame: RunnerFrame) => boolean;
  /** It has ended by itself. */
  ended: () => void;
}

/** Lines share a frame for so long. */
const flushMs = 50;
const frameLinesMax = 500;
const frameCharsMax = 64 * 1024;
/** Frames on their way; the hub answers each when it has passed it on. */
const unansweredMax = 4;
/** Lines that wait for an answer; beyond them the log is faster than its readers. */
const waitingLinesMax = 5_000;
const waitingCharsMax = 2 ** 20;
/** Text of the past, newest first. */
const pastCharsMax = 256 * 1024;
/** What Docker does not tell is seen this late. */
const lookAgainMs = 15_000;
/** Several changes of one moment make one look. */
const settleMs = 250;
/** Whoever reads says so every 15 s. */
export const unwatchedMs = 60_000;
/** An answer that has not come by then was lost. */
const answerLimitMs = 5_000;

export class RuntimeTail {
  readonly #parts: TailParts;
  readonly #end = new AbortController();
  #change = new AbortController();
  #container: LiveContainer | undefined;
  /** Docker's time of the last line taken, and how many lines had it: where a new look at the same container goes on. */
  #cursor = { at: 0, lines: 0 };
  #lastId = 0;
  #waiting: RuntimeLine[] = [];
  #waitingChars = 0;
  #dropped = 0;
  #unanswered: { lines: RuntimeLine[]; sentAt: number }[] = [];
  #cancelFlush: (() => void) | undefined;
  #cancelUnwatched = () => {};

  constructor(parts: TailParts) {
    this.#parts = parts;
  }

  /** Tells the last lines above `after`, then follows until it is stopped. */
  start(after: number, lines: number): void {
    this.#keepAlive();
    void this.#run(after, lines);
  }

  /** Somebody else began to read, or somebody still does (`lines: 0`). */
  asked(lines: number): void {
    this.#keepAlive();
    const oldest = this.#unanswered[0];
    if (oldest && this.#parts.clock.now() - oldest.sentAt > answerLimitMs) this.reconnected();
    if (lines > 0) void this.#tellPast(0, lines).catch(() => undefined);
  }

  answered(watched: boolean): void {
    if (!watched) {
      this.stop();
      return;
    }
    this.#keepAlive();
    this.#unanswered.shift();
    this.#flush();
  }

  /** Frames without an answer may be lost: they are sent again. */
  reconnected(): void {
    for (const frame of this.#unanswered) this.#send(frame.lines);
    this.#flush();
  }

  /** Something has changed on the host: perhaps another container serves. */
  changed(): void {
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
    this.#lastId = after;
    await this.#tellPast(after, lines).catch(() => this.#sendPast([]));
    while (!this.#end.signal.aborted) {
      this.#change = new AbortController();
      const wake = AbortSignal.any([this.#end.signal, this.#change.signal]);
      // A daemon that is away is looked for again with the next round.
      await this.#follow(wake).catch(() => undefined);
      await pause(clock, lookAgainMs, wake);
      await pause(clock, settleMs, this.#end.signal);
    }
  }

  /** What the container printed last; the live part begins after it. */
  async #tellPast(after: number, lines: number): Promise<void> {
    const { serviceId, host } = this.#parts;
    const container = await host.liveContainer(serviceId);
    if (!container) return this.#sendPast([]);
    const range = { since: after, follow: false, ...(lines > 0 ? { tail: lines } : {}) };
    const mask = secretMask(container.secrets);
    const isFirst = this.#container === undefined;
    const told: RuntimeLine[] = [];
    let previous = after;
    for await (const batch of host.readLog(container.id, range, this.#end.signal)) {
      for (const line of batch) {
        if (line.at <= after) continue;
        previous = Math.max(line.at, previous + 1);
        told.push(shown(line, previous, mask));
        if (isFirst) this.#moveCursor(line.at);
      }
    }
    if (isFirst) {
      this.#container = container;
      this.#lastId = Math.max(this.#lastId, previous);
    }
    this.#sendPast(told);
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

  async #follow(signal: AbortSignal): Promise<void> {
    const { serviceId, host } = this.#parts;
    const container = await host.liveContainer(serviceId);
    if (!container) return;
    if (this.#container && container.id !== this.#container.id) {
      this.#cursor = { at: 0, lines: 0 };
      this.#say(`The container was replaced: ${container.deploymentId} serves now.`);
    }
    this.#container = container;
    const mask = secretMask(container.secrets);
    const seen = { ...this.#cursor };
    let isBehind = true;
    for await (const batch of host.readLog(container.id, { since: seen.at, follow: true }, signal)) {
      if (signal.aborted) return;
      for (const line of batch) {
        // What the last look has taken already stands at the beginning.
        if (isBehind && line.at < seen.at) continue;
        if (isBehind && line.at === seen.at && seen.lines-- > 0) continue;
        isBehind = false;
        this.#moveCursor(line.at);
        this.#add(line, mask);
      }
    }
  }

  #moveCursor(at: number): void {
    if (at > this.#cursor.at) this.#cursor = { at, lines: 1 };
    else if (at === this.#cursor.at) this.#cursor.lines += 1;
  }

  #add(line: LoggedLine, mask: SecretMask): void {
    if (this.#waiting.length >= waitingLinesMax || this.#waitingChars >= waitingCharsMax) {
      this.#dropped += 1;
      return;
    }
    if (this.#dropped > 0) this.#sayDropped();
    this.#push(shown(line, this.#nextId(line.at), mask));
  }

  #sayDropped(): void {
    const count = this.#dropped.toLocaleString('en');
    this.#dropped = 0;
    this.#say(`${count} lines are left out here: the log is faster than it can be sent.`);
  }

  /** A line of the platform's own. */
  #say(line: string): void {
    this.#push({ id: this.#nextId(this.#parts.clock.now() * 1000), stream: 'system', line });
  }

  #nextId(at: number): number {
    this.#lastId = Math.max(at, this.#lastId + 1);
    return this.#lastId;
  }

  #push(line: RuntimeLine): void {
    this.#waiting.push(line);
    this.#waitingChars += line.line.length;
    this.#cancelFlush ??= this.#parts.clock.after(flushMs, () => this.#flush());
  }

  #flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    while (this.#waiting.length > 0 && this.#unanswered.length < unansweredMax) {
      const lines = this.#nextFrame();
      this.#unanswered.push({ lines, sentAt: this.#parts.clock.now() });
      this.#send(lines);
    }
    if (this.#waiting.length === 0 && this.#dropped > 0) this.#sayDropped();
  }

  #nextFrame(): RuntimeLine[] {
    let chars = 0;
    const over = this.#waiting.findIndex(({ line }, index) => {
      chars += line.length;
      return index > 0 && (chars > frameCharsMax || index >= frameLinesMax);
    });
    const lines = this.#waiting.splice(0, over === -1 ? this.#waiting.length : over);
    for (const { line } of lines) this.#waitingChars -= line.length;
    return lines;
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

function shown(line: LoggedLine, id: number, mask: SecretMask): RuntimeLine {
  return { id, stream: line.stream, line: presentable(line, mask) };
}
