/**
 * The certificates of this host's public names. A certificate is ordered at once for each name that may have one, so that it exists before
 * the first visitor and a failure is known before a visitor sees it. All are renewed in time, with or without visitors. Certificates are
 * ordered nowhere else (`certificate-permission.ts`); after failures the pauses between orders grow.
 */

import type { CertificateState } from '../../../protocol/domain-state.ts';
import { type BackoffLimits, backoffMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/logger.ts';
import type { NameFiles } from '../name-files.ts';
import { fileNameOf } from '../route-names.ts';
import type { Failure, FailureFile } from './certificate-failures.ts';
import type { CertificateStore, StoredCertificate } from './certificate-store.ts';
import type { IssuerFailure } from './issuer-failure.ts';
import type { LimitedName, OrderBudget } from './order-budget.ts';

export interface CertificateWatch {
  /** The state of any name, from memory; `none` for names that may have no certificate. */
  stateOf(hostname: string): CertificateState;
  /**
   * Sets all names that may have a certificate: certificates for new names are ordered at once, other names are forgotten.
   * @param limited the names whose orders are limited
   */
  want(names: readonly string[], limited?: readonly LimitedName[]): void;
  /** Calls `changed` with each name whose state changed. @returns a function that unsubscribes */
  onChange(changed: (hostname: string) => void): () => void;
}

export interface CertificateWatchParts {
  store: CertificateStore;
  /** True if the owner provided a certificate that this host does not have. */
  isMissing?: (hostname: string) => boolean;
  /** True if Caddy's own CA certifies this name: then only an owner's certificate has a state. */
  isFree: (hostname: string) => boolean;
  /** Runs one attempt, see `orderCertificate`. */
  order: (hostname: string, signal: AbortSignal) => Promise<IssuerFailure | undefined>;
  failures: FailureFile;
  budget: OrderBudget;
  httpsNames: NameFiles;
  clock: Clock;
  /** 0 <= random < 1 */
  random: () => number;
}

/**
 * Caddy renews in the last third of the lifetime; this share is a little smaller, so that Caddy certainly agrees.
 */
export const orderPauses: Record<Failure['kind'], BackoffLimits> = {
  refused: { minMs: 20 * 60_000, maxMs: 12 * 3_600_000 },
  limited: { minMs: 60 * 60_000, maxMs: 12 * 3_600_000 },
  unreachable: { minMs: 3 * 60_000, maxMs: 30 * 60_000 },
  unknown: { minMs: 10_000, maxMs: 30 * 60_000 },
};
const pauseMsMax = 12 * 3_600_000;

/** Caddy renews in the last third of the lifetime; we ask a little later, when Caddy surely agrees. */
const renewalShare = 0.3;
/** Maximum of parallel orders: a failing one can take minutes, and a host may start with hundreds of names. */
const ordersMax = 8;
const pollIntervalMs = 15_000;

const none: CertificateState = { state: 'none', expiresAt: null, detail: '' };

export class Certificates implements CertificateWatch {
  readonly #parts: CertificateWatchParts;
  readonly #pollMs: number;
  readonly #stopping = new AbortController();
  readonly #listeners = new Set<(hostname: string) => void>();
  readonly #failures: Map<string, Failure>;
  readonly #ordering = new Set<string>();
  #limited = new Map<string, LimitedName>();
  /** Wanted names with the last reported state. */
  #reported = new Map<string, CertificateState>();
  #cancelCheck = () => {};

  constructor(parts: CertificateWatchParts, pollMs = pollIntervalMs) {
    this.#parts = parts;
    this.#pollMs = pollMs;
    this.#failures = new Map(Object.entries(parts.failures.read()));
  }

  stateOf(hostname: string): CertificateState {
    return this.#reported.get(hostname) ?? none;
  }

  want(names: readonly string[], limited: readonly LimitedName[] = []): void {
    if (this.#stopping.signal.aborted) return;
    this.#limited = new Map(limited.map((name) => [name.hostname, name]));
    const { store, isFree, isMissing } = this.#parts;
    const isOwn = (name: string) => store.of(name)?.isOwn === true || isMissing?.(name) === true;
    const watched = new Set(names.filter((name) => !isFree(name) || isOwn(name)));
    this.#reported = new Map([...watched].map((name) => [name, this.#reported.get(name) ?? none]));
    this.#forgetFailures((name) => !watched.has(name));
    this.#check();
  }

  onChange(changed: (hostname: string) => void): () => void {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  }

  /** Stops checks and orders; Caddy keeps serving and renewing. */
  stop(): void {
    this.#stopping.abort();
    this.#cancelCheck();
    this.#listeners.clear();
  }

  /** Starts the orders that are due, reports changes, and schedules the next check. */
  #check(): void {
    this.#cancelCheck();
    // Caddy may have succeeded with its own retry.
    this.#forgetFailures((name) => this.#isFresh(name));
    for (const name of this.#reported.keys()) {
      if (this.#ordering.size < ordersMax && this.#isDue(name)) void this.#order(name);
    }
    this.#report();
    this.#cancelCheck = this.#parts.clock.after(this.#pollMs, () => this.#check());
  }

  #isDue(name: string): boolean {
    const { isFree } = this.#parts;
    if (isFree(name) || this.#ordering.has(name) || this.#isFresh(name) || this.#refusal(name)) return false;
    const now = this.#parts.clock.now();
    const nextAt = this.#failures.get(name)?.nextAt ?? 0;
    // A longer pause than any of ours means that the clock has been set back since.
    return now >= nextAt || nextAt - now > pauseMsMax;
  }

  #isFresh(name: string): boolean {
    const certificate = this.#parts.store.of(name);
    if (certificate === undefined) return false;
    return certificate.isOwn === true || this.#parts.clock.now() < renewalAt(certificate);
  }

  /** The reason why the limits of orders keep the name waiting. A renewal is never refused. */
  #refusal(name: string): string | undefined {
    const limited = this.#limited.get(name);
    return limited && !this.#parts.store.of(name) ? this.#parts.budget.refusal(limited) : undefined;
  }

  async #order(name: string): Promise<void> {
    this.#ordering.add(name);
    const limited = this.#limited.get(name);
    if (limited && !this.#parts.store.of(name)) this.#parts.budget.note(limited);
    const ordered = this.#parts.order(name, this.#stopping.signal);
    const failure = await ordered.catch(unknownFailure);
    this.#ordering.delete(name);
    if (this.#stopping.signal.aborted) return;
    if (failure && this.#reported.has(name)) this.#reportFailure(name, failure);
    this.#check();
  }

  #reportFailure(name: string, { kind, sentence, retryAfterMs = 0 }: IssuerFailure): void {
    const { clock, random, failures } = this.#parts;
    const before = this.#failures.get(name)?.count ?? 0;
    const pauseMs = Math.max(backoffMs(before, orderPauses[kind], random()), retryAfterMs);
    const nextAt = clock.now() + Math.min(pauseMs, pauseMsMax);
    this.#failures.set(name, { kind, sentence, count: before + 1, nextAt });
    failures.write(Object.fromEntries(this.#failures));
  }

  #forgetFailures(isPast: (name: string) => boolean): void {
    const past = [...this.#failures.keys()].filter(isPast);
    for (const name of past) this.#failures.delete(name);
    if (past.length > 0) this.#parts.failures.write(Object.fromEntries(this.#failures));
  }

  #report(): void {
    const changed: string[] = [];
    for (const [name, before] of this.#reported) {
      const state = this.#seen(name);
      this.#reported.set(name, state);
      if (JSON.stringify(state) !== JSON.stringify(before)) changed.push(name);
    }
    const { httpsNames, isFree } = this.#parts;
    httpsNames.set(
      [...this.#reported].flatMap(([name, { state }]) =>
        state === 'issued' && !isFree(name) ? fileNameOf(name) : [],
      ),
    );
    for (const name of changed) for (const listener of this.#listeners) listener(name);
  }

  #seen(name: string): CertificateState {
    const state = this.#stateNow(name);
    if (!this.#parts.isMissing?.(name)) return state;
    return { ...state, detail: `${missing} ${state.detail}`.trimEnd() };
  }

  #stateNow(name: string): CertificateState {
    const { store, clock } = this.#parts;
    const certificate = store.of(name);
    const failure = this.#failures.get(name);
    const detail = failure ? `${failure.sentence} The next try is after ${minuteOf(failure.nextAt)}.` : '';
    if (certificate && certificate.expiresAt > clock.now()) {
      const renewal = failure ? `It could not be renewed. ${detail}` : '';
      return { state: 'issued', expiresAt: certificate.expiresAt, detail: renewal };
    }
    if (certificate?.isOwn) {
      const ended = `The certificate that was given for it ended on ${minuteOf(certificate.expiresAt)}: replace it.`;
      return { state: 'failed', expiresAt: null, detail: ended };
    }
    if (failure) return { state: 'failed', expiresAt: null, detail };
    if (this.#parts.isFree(name)) return none;
    const refusal = this.#ordering.has(name) ? undefined : this.#refusal(name);
    if (refusal) return { state: 'pending', expiresAt: null, detail: refusal };
    return { state: 'pending', expiresAt: null, detail: 'A certificate was requested from the CA.' };
  }
}

const missing =
  'The certificate that was given for it is not on this host: give it again. Until then an automatic one is used.';

const unknownFailure = (error: unknown): IssuerFailure => ({ kind: 'unknown', sentence: messageOf(error) });

/** The time to renew a certificate, in epoch milliseconds. */
function renewalAt({ notBefore, expiresAt }: StoredCertificate): number {
  return expiresAt - renewalShare * (expiresAt - notBefore);
}

/** `2026-11-21 10:04 UTC` */
const minuteOf = (epochMs: number) => `${new Date(epochMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
