/**
 * Which jobs a connected runner is known to have, and until when that is believed. Kept in memory, never in the store:
 * what is not known any more is asked by sending `start` again.
 */

/** Three times the 20 s at which a runner speaks of its jobs: two lost frames are no loss. */
const leaseMs = 60_000;

export interface Lease {
  job: string;
  epoch: number;
  /** Epoch milliseconds. */
  until: number;
  /** `start` was sent again after the lease had lapsed: when it lapses once more, the connection is taken for dead. */
  asked: boolean;
}

export class Leases {
  #leases = new Map<string, Lease>();

  constructor(records: readonly Lease[] = []) {
    for (const lease of records) this.#leases.set(lease.job, lease);
  }

  find(job: string): Lease | undefined {
    return this.#leases.get(job);
  }

  /** A new lease, in place of any other of the job. */
  grant(job: string, epoch: number, now: number, asked = false): void {
    this.#leases.set(job, { job, epoch, until: now + leaseMs, asked });
  }

  /** The runner spoke of the job. @returns false when no lease of this attempt is known. */
  renew(job: string, epoch: number, now: number): boolean {
    if (this.#leases.get(job)?.epoch !== epoch) return false;
    this.grant(job, epoch, now);
    return true;
  }

  drop(job: string): void {
    this.#leases.delete(job);
  }

  clear(): void {
    this.#leases.clear();
  }

  /** When the first lease lapses; undefined when there is none. */
  get nextLapse(): number | undefined {
    const moments = [...this.#leases.values()].map((lease) => lease.until);
    return moments.length === 0 ? undefined : Math.min(...moments);
  }

  /** For an attachment: what a woken object starts with. */
  records(): Lease[] {
    return [...this.#leases.values()];
  }
}
