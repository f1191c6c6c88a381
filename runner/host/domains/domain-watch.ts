/**
 * Checks the DNS of this host's custom domains: at once when a domain is added or changed, then on a schedule that never stops, so that
 * a customer's change at their DNS provider is noticed without a request. No client ever waits for a look-up.
 */
import type { DomainState } from '../../../protocol/domain-state.ts';
import type { Clock } from '../../base/clock.ts';
import type { OwnAddresses } from '../../base/own-addresses.ts';
import type { CertificateWatch } from '../../proxy/certificates/certificates.ts';
import type { ChallengeBoard } from '../../proxy/certificates/wildcard/challenge-board.ts';
import { sampleOf } from '../../proxy/route-names.ts';
import type { Traffic } from '../../proxy/traffic.ts';
import type { LookUp } from './look-up.ts';
import { type Belief, believe, localVerdict, type Verdict, verdictOf } from './verdict.ts';

export interface DomainWatchParts {
  traffic: Pick<Traffic, 'names'>;
  certificates: Pick<CertificateWatch, 'stateOf'>;
  /** TXT records that orders wait for. */
  challenges?: Pick<ChallengeBoard, 'wanted'>;
  lookUp: LookUp;
  /** @param publicIp the operator's setting, if there is one */
  ownAddresses: (publicIp: string | null) => Promise<OwnAddresses>;
  clock: Clock;
  /** 0 <= random < 1 */
  random: () => number;
}

/** The number of frequent checks of a new name: its owner is probably waiting. */
const freshChecks = 20;
export const checkIntervalMs = {
  fresh: 30_000,
  pending: 5 * 60_000,
  doubted: 5 * 60_000,
  active: 60 * 60_000,
};
/** Random share by which an interval varies, so that a thousand names are not looked up in the same second. */
const jitter = 0.1;
/** The time over which the first checks of all names are spread after a start. */
const startSpreadMs = 10_000;

interface Watched {
  readonly hostname: string;
  readonly serviceId: string;
  isActive: boolean;
  publicIp: string | null;
  belief: Belief;
  checks: number;
  /** Cancels the next check. */
  cancel: () => void;
  /** Number of the last check started; the result of an older check is ignored. */
  check: number;
  isChecking: boolean;
  /** True if the next result must be reported even if it is unchanged. */
  mustReport: boolean;
}

const unseen = { checks: 0, check: 0, cancel: () => undefined, isChecking: false, mustReport: false };

export class DomainWatch {
  readonly #parts: DomainWatchParts;
  readonly #watched = new Map<string, Watched>();
  #listener: (states: DomainState[]) => void = () => undefined;
  #isStopped = false;

  constructor(parts: DomainWatchParts) {
    this.#parts = parts;
  }

  /** Starts to watch the names that are already known. */
  start(): void {
    for (const watched of this.#takeNames()) this.#checkIn(watched, this.#parts.random() * startSpreadMs);
  }

  /** The names of a service may have changed: checks new ones at once. */
  namesChanged(): void {
    for (const watched of this.#takeNames()) void this.#check(watched);
  }

  /** Checks the service's names now, and reports the result even if it is unchanged. */
  checkSoon(serviceId: string): void {
    for (const watched of this.#watched.values()) {
      if (watched.serviceId !== serviceId) continue;
      watched.mustReport = true;
      if (!watched.isChecking) void this.#check(watched);
    }
  }

  certificateChanged(hostname: string): void {
    const watched = this.#watched.get(hostname);
    if (watched) this.#report(watched);
  }

  /** All states known so far. */
  states(): DomainState[] {
    return [...this.#watched.values()].flatMap((watched) => this.#stateOf(watched) ?? []);
  }

  /** Calls `listener` with every change, until `stop`. */
  onChange(listener: (states: DomainState[]) => void): void {
    this.#listener = listener;
  }

  stop(): void {
    this.#isStopped = true;
    for (const { cancel } of this.#watched.values()) cancel();
    this.#watched.clear();
  }

  /** @returns the names that need a check */
  #takeNames(): Watched[] {
    if (this.#isStopped) return [];
    const custom = this.#parts.traffic
      .names()
      .flatMap(({ serviceId, publicIp, names }) =>
        names.flatMap(({ hostname, isCustom, isActive }) =>
          isCustom ? [{ hostname, serviceId, isActive, publicIp }] : [],
        ),
      );
    const wanted = new Map(custom.map((name) => [name.hostname, name]));
    for (const [hostname, { serviceId, cancel }] of this.#watched) {
      if (wanted.get(hostname)?.serviceId === serviceId) continue;
      cancel();
      this.#watched.delete(hostname);
    }
    return [...wanted.values()].flatMap((name) => this.#take(name) ?? []);
  }

  #take(name: Pick<Watched, 'hostname' | 'serviceId' | 'isActive' | 'publicIp'>): Watched | undefined {
    const known = this.#watched.get(name.hostname);
    if (known?.isActive === name.isActive && known.publicIp === name.publicIp) return undefined;
    const belief = { reported: known?.belief.reported, misses: 0 };
    const watched = known ?? { ...unseen, ...name, belief };
    Object.assign(watched, name, { belief, checks: 0 });
    this.#watched.set(name.hostname, watched);
    return watched;
  }

  #checkIn(watched: Watched, delayMs: number): void {
    watched.cancel();
    watched.cancel = this.#parts.clock.after(delayMs, () => void this.#check(watched));
  }

  async #check(watched: Watched): Promise<void> {
    watched.cancel();
    watched.check += 1;
    watched.isChecking = true;
    const { check } = watched;
    const seen = await this.#lookUp(watched);
    if (this.#watched.get(watched.hostname) !== watched || watched.check !== check) return;
    watched.isChecking = false;
    watched.checks += 1;
    const before = watched.belief;
    watched.belief = believe(before, seen, watched.isActive);
    const hasChanged = JSON.stringify(watched.belief.reported) !== JSON.stringify(before.reported);
    if (hasChanged || watched.mustReport) this.#report(watched);
    watched.mustReport = false;
    const spread = 1 + jitter * (2 * this.#parts.random() - 1);
    this.#checkIn(watched, intervalOf(watched, seen) * spread);
  }

  async #lookUp({ hostname, publicIp }: Watched): Promise<Verdict> {
    if (hostname.endsWith('.localhost')) return localVerdict;
    const { lookUp, ownAddresses } = this.#parts;
    try {
      const [answer, own] = await Promise.all([
        lookUp(sampleOf(hostname, this.#anyLabel())),
        ownAddresses(publicIp),
      ]);
      return verdictOf(hostname, answer, own);
    } catch (error) {
      return verdictOf(hostname, { found: 'failure', reason: String(error) }, { main: '', all: new Set() });
    }
  }

  /** Always another label, so that no resolver answers from before a wildcard's record existed. */
  #anyLabel(): string {
    return `longshore-${this.#parts.random().toString(36).slice(2, 10)}`;
  }

  #report(watched: Watched): void {
    const state = this.#stateOf(watched);
    if (state) this.#listener([state]);
  }

  #stateOf({ hostname, belief }: Watched): DomainState | undefined {
    const challenge = this.#parts.challenges?.wanted(hostname);
    return (
      belief.reported && {
        hostname,
        ...belief.reported,
        certificate: this.#parts.certificates.stateOf(hostname),
        ...(challenge === undefined ? {} : { challenge }),
      }
    );
  }
}

function intervalOf({ isActive, checks, belief }: Watched, seen: Verdict): number {
  if (isActive)
    return belief.misses > 0 || seen.dns === 'unknown' ? checkIntervalMs.doubted : checkIntervalMs.active;
  return checks < freshChecks ? checkIntervalMs.fresh : checkIntervalMs.pending;
}
