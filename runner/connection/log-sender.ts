/**
 * Sends spooled log lines and processes their acknowledgements: go-back-N over the spool. Every frame gets one `log-ack` with the last
 * stored line. If a frame should have advanced that line but did not, the hub lacks earlier lines: all lines after the stored one are sent
 * again. The same happens when a frame is not acknowledged in time, and for all frames on a new connection.
 */
import {
  type HubFrameOf,
  type LogLine,
  protocolVersion,
  type RunnerFrameOf,
  sizeOfLines,
} from '../../protocol/frames.ts';
import { type Clock, pause } from '../base/clock.ts';
import type { LogSpool } from '../journal/log-spool.ts';

export interface LogSenderParts {
  spool: LogSpool;
  clock: Clock;
  send: (frame: RunnerFrameOf<'logs'>) => boolean;
  /** True if the job's lines do not use the hub, so that a new control socket does not affect them. */
  hasOwnSocket?: (job: string) => boolean;
  /** The attempt of the lines; `undefined` for a job that this runner no longer reports. */
  epochOf: (job: string) => number | undefined;
  /** Someone started to read the log: spool the waiting lines now. */
  watched: (job: string) => void;
  watchedDelayMs?: number; // The time that lines wait for others to share their frame while the log is read; 250.
}

export const windowBytes = 2 ** 20; // The limit of text that is sent but not acknowledged.
export const receiptLimitMs = 15_000; // After this time, an acknowledgement was lost: logs store lines as they arrive.
const flushDelayWatchedMs = 250; // For a person who reads along. Each frame is a message and a row, which Cloudflare bills.
const flushDelayMs = 1_000; // The delay of lines on this host's disk while the log is not read.
export const unwatchedDelayMs = 5_000; // The control plane lacks these lines when a host is lost permanently, so the delay is short.
const placeholdersMax = 1_000; // The limit for one frame.

interface Outgoing {
  /** Last line that was sent in this round. */
  sent: number;
  /** Unacknowledged frames in order: their last line and size. */
  inFlight: { last: number; bytes: number }[];
  owed: number; // Frames whose lines are acknowledged, but whose own acknowledgement has not arrived yet.
  /** Pending acknowledgements of frames from before the last resend: they are ignored. */
  stale: number;
  /** The gap at the last resend. If the same gap is reported again, only the timeout resends, to avoid a storm of frames. */
  gapAfter: number | undefined;
  ended: boolean;
  /** The frame that marks the end of the log was sent. */
  endSent: boolean;
  watched: boolean;
  /** The delay of lines while the log is read, if the control plane has to save requests. */
  paceMs: number;
  cancelTimeout: (() => void) | undefined;
  /** Set while spooled lines wait for others to share their frame. */
  cancelHold: (() => void) | undefined;
  waiting: (() => void)[];
}

export class LogSender {
  readonly #parts: LogSenderParts;
  readonly #logs = new Map<string, Outgoing>();

  constructor(parts: LogSenderParts) {
    this.#parts = parts;
  }

  flushDelayMs(job: string): number {
    const { watchedDelayMs = flushDelayWatchedMs } = this.#parts;
    const log = this.#logs.get(job);
    return log?.watched ? Math.min(flushDelayMs, Math.max(watchedDelayMs, log.paceMs)) : flushDelayMs;
  }

  /** New lines are in the spool: sends them now, or after a while if the log is not read. */
  pump(job: string): void {
    const log = this.#log(job);
    const { clock, spool } = this.#parts;
    if (!this.#mayWait(job, log)) this.#send(job, log);
    else if (spool.head(job).last > log.sent)
      log.cancelHold ??= clock.after(heldMs(log), () => this.#send(job, log));
  }

  /** The first lines never wait: their acknowledgement reports whether the log is read. */
  #mayWait(job: string, log: Outgoing): boolean {
    return heldMs(log) > 0 && !log.ended && log.sent > 0 && !this.#parts.spool.fillFrame(job, log.sent);
  }

  /** Sends as many lines as the window allows. */
  #send(job: string, log: Outgoing): void {
    log.cancelHold?.();
    log.cancelHold = undefined;
    for (;;) {
      if (bytesOf(log) >= windowBytes) return;
      const chunk = this.#parts.spool.readAfter(job, log.sent);
      if (!chunk) break;
      const lost = chunk.first - 1 - log.sent;
      const lines = lost > 0 ? this.#placeholders(lost) : chunk.lines;
      if (!this.#sendFrame(job, log, log.sent + 1, lines)) return;
    }
    if (log.ended && !log.endSent && log.inFlight.length > 0) this.#sendFrame(job, log, log.sent + 1, []);
  }

  /** The next spooled lines are the job's last ones: from then on its last frame asks the hub to store at once. */
  ends(job: string): void {
    this.#log(job).ended = true;
  }

  receipt({ job, through, watched, paceMs = 0 }: HubFrameOf<'log-ack'>): void {
    const log = this.#logs.get(job);
    this.#parts.spool.acknowledge(job, through);
    if (!log) return;
    log.watched = watched;
    log.paceMs = paceMs;
    const covered = log.inFlight.findIndex(({ last }) => last > through);
    const settled = log.inFlight.splice(0, covered === -1 ? log.inFlight.length : covered).length;
    log.sent = Math.max(log.sent, through);
    log.owed += settled;
    if (log.owed > 0) log.owed -= 1;
    else if (log.stale > 0) log.stale -= 1;
    else if (log.inFlight.length > 0 && log.gapAfter !== through) {
      log.gapAfter = through;
      this.#goBack(job, log, through, log.inFlight.length - 1);
      this.#send(job, log);
    }
    if (settled > 0) this.#setTimeout(job, log);
    this.pump(job);
    if (this.isAcknowledged(job)) for (const resolve of log.waiting.splice(0)) resolve();
  }

  watch(job: string): void {
    const log = this.#log(job);
    log.watched = true;
    this.#parts.watched(job);
    this.#send(job, log);
  }

  /** Sends again on a new connection: frames sent on the old one may be lost. */
  reconnected(): void {
    for (const job of new Set([...this.#logs.keys(), ...this.#parts.spool.waiting()])) {
      if (!this.#parts.hasOwnSocket?.(job)) this.#sendAgain(job, this.#log(job));
    }
  }

  /** The job's lines take another connection. */
  rerouted(job: string): void {
    const log = this.#logs.get(job);
    if (log) this.#sendAgain(job, log);
  }

  #sendAgain(job: string, log: Outgoing): void {
    this.#resendFromAcked(job, log);
    this.#send(job, log);
  }

  isAcknowledged(job: string): boolean {
    const { last, acked } = this.#parts.spool.head(job);
    return acked >= last;
  }

  /** Resolves when every spooled line of the job is acknowledged, or after `limitMs`. */
  async acknowledged(job: string, limitMs: number): Promise<void> {
    if (this.isAcknowledged(job)) return;
    const inTime = new AbortController();
    const log = this.#log(job);
    log.waiting.push(() => inTime.abort());
    await pause(this.#parts.clock, limitMs, inTime.signal);
  }

  /** Nothing more will be sent for this job. */
  forget(job: string): void {
    const log = this.#logs.get(job);
    log?.cancelTimeout?.();
    log?.cancelHold?.();
    this.#logs.delete(job);
  }

  stop(): void {
    for (const job of [...this.#logs.keys()]) this.forget(job);
  }

  #log(job: string): Outgoing {
    const known = this.#logs.get(job);
    if (known) return known;
    const log: Outgoing = {
      sent: this.#parts.spool.head(job).acked,
      inFlight: [],
      owed: 0,
      stale: 0,
      gapAfter: undefined,
      ended: false,
      endSent: false,
      watched: false,
      paceMs: 0,
      cancelTimeout: undefined,
      cancelHold: undefined,
      waiting: [],
    };
    this.#logs.set(job, log);
    return log;
  }

  /** @returns false if the frame could not be sent: it is sent again on the next connection */
  #sendFrame(job: string, log: Outgoing, first: number, lines: LogLine[]): boolean {
    const epoch = this.#parts.epochOf(job);
    if (epoch === undefined) return false;
    const end = first + lines.length - 1;
    const last = log.ended && end === this.#parts.spool.head(job).last;
    const sent = this.#parts.send({ v: protocolVersion, type: 'logs', job, epoch, first, lines, last });
    if (!sent) return false;
    log.sent = end;
    log.endSent ||= last;
    log.inFlight.push({ last: end, bytes: sizeOfLines(lines) });
    if (log.inFlight.length === 1) this.#setTimeout(job, log);
    return true;
  }

  /**
   * Placeholders for lines that the hub acknowledged but does not have: it took them for lines of another attempt, or was restored from a
   * backup. This host has deleted them; without placeholders the hub would wait for them forever.
   */
  #placeholders(lost: number): LogLine[] {
    const line: LogLine = { stream: 'system', at: this.#parts.clock.now(), line: '(this line was lost)' };
    return Array.from({ length: Math.min(lost, placeholdersMax) }, () => line);
  }

  #resendFromAcked(job: string, log: Outgoing): void {
    log.gapAfter = undefined;
    this.#goBack(job, log, this.#parts.spool.head(job).acked, 0);
  }

  /** @param stale pending acknowledgements of frames that are now sent again */
  #goBack(job: string, log: Outgoing, sent: number, stale: number): void {
    log.sent = sent;
    log.inFlight = [];
    log.owed = 0;
    log.stale = stale;
    log.endSent = false;
    this.#setTimeout(job, log);
  }

  #setTimeout(job: string, log: Outgoing): void {
    log.cancelTimeout?.();
    log.cancelTimeout = undefined;
    if (log.inFlight.length === 0) return;
    log.cancelTimeout = this.#parts.clock.after(receiptLimitMs, () => this.#sendAgain(job, log));
  }
}

const bytesOf = (log: Outgoing) => log.inFlight.reduce((sum, { bytes }) => sum + bytes, 0);
/** The delay of spooled lines before they are sent: they are written to the disk every second. */
const heldMs = ({ watched, paceMs }: Outgoing) => (watched ? paceMs - flushDelayMs : unwatchedDelayMs);
