/**
 * Sends the reports in the outbox: each at once, then with growing pauses, and again on every new connection, until the hub confirms
 * that it is stored. A result waits until the job's log lines are acknowledged, so that the log is complete when the job ends.
 */
import { protocolVersion, type RunnerFrame } from '../../protocol/frames.ts';
import { type BackoffLimits, backoffMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { crashPoint } from '../base/crash-point.ts';
import type { Report, ReportRecords } from '../journal/report-records.ts';

export interface ReportSenderParts {
  records: ReportRecords;
  clock: Clock;
  send: (frame: RunnerFrame) => boolean;
  /** Resolves when the hub has the job's lines, or after `limitMs`. */
  logAcknowledged: (job: string, limitMs: number) => Promise<void>;
  /** A result was acknowledged: the hub knows how the job ended. */
  settled: (job: string) => void;
  /** Random number for the pauses between tries, from 0 to 1. */
  random?: () => number;
}

/** Counted from the job's end or from the connection: a result matters more than a log that can't be delivered. */
export const logWaitMs = 30_000;
const resendPause: BackoffLimits = { minMs: 2_000, maxMs: 60_000 };

interface Pending {
  report: Report;
  sends: number;
  cancelResend: (() => void) | undefined;
}

export class ReportSender {
  readonly #parts: ReportSenderParts;
  readonly #pending = new Map<string, Pending>();
  #connection = 0;
  #stopped = false;

  constructor(parts: ReportSenderParts) {
    this.#parts = parts;
    for (const report of parts.records.all()) this.#remember(report);
  }

  /** @param report already in the journal */
  add(report: Report): void {
    void this.#deliver(this.#remember(report), this.#connection);
  }

  acknowledged(id: string): void {
    this.#parts.records.remove(id);
    const pending = this.#pending.get(id);
    if (!pending) return;
    pending.cancelResend?.();
    this.#pending.delete(id);
    if (pending.report.event.type === 'result') this.#parts.settled(pending.report.job);
  }

  /** Sends everything again, in order. */
  reconnected(): void {
    this.#connection += 1;
    for (const pending of this.#pending.values()) {
      pending.cancelResend?.();
      pending.sends = 0;
      void this.#deliver(pending, this.#connection);
    }
  }

  /** Drops the reports of older attempts of a job, which are no longer needed. */
  dropOlder(job: string, epoch: number): void {
    for (const [id, { report, cancelResend }] of this.#pending) {
      if (report.job !== job || report.epoch >= epoch) continue;
      cancelResend?.();
      this.#pending.delete(id);
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const { cancelResend } of this.#pending.values()) cancelResend?.();
  }

  #remember(report: Report): Pending {
    const pending: Pending = { report, sends: 0, cancelResend: undefined };
    this.#pending.set(report.id, pending);
    return pending;
  }

  async #deliver(pending: Pending, connection: number): Promise<void> {
    const { report } = pending;
    if (report.event.type === 'result') await this.#parts.logAcknowledged(report.job, logWaitMs);
    // A newer connection may have taken over the delivery in the meantime.
    if (connection === this.#connection) this.#send(pending);
  }

  #send(pending: Pending): void {
    const { id, job, epoch, event } = pending.report;
    if (this.#stopped || this.#pending.get(id) !== pending) return;
    const { send, clock, random = Math.random } = this.#parts;
    if (!send({ v: protocolVersion, type: 'report', id, job, epoch, event })) return; // sent at the next connection
    if (event.type === 'result') crashPoint('report:sent');
    const delayMs = backoffMs(pending.sends, resendPause, random());
    pending.sends += 1;
    pending.cancelResend = clock.after(delayMs, () => this.#send(pending));
  }
}
