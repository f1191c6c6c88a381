/**
 * The jobs that a connected runner is known to have, each with an expiry time. Kept in memory, never in the store:
 * when a lease is lost or expires, the hub sends `start` again to find out.
 */

/** Three times the 20 s interval of a runner's `alive` frames, so that two lost frames do no harm. */
const leaseMs = 60_000;

export interface Lease {
  job: string;
  epoch: number;
  /** Epoch milliseconds. */
  until: number;
  /** Whether `start` was sent again after the lease expired. If the lease expires once more, the connection is considered dead. */
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

  /** Grants a lease, replacing any other of the job. */
  grant(job: string, epoch: number, now: number, asked = false): void {
    this.#leases.set(job, { job, epoch, until: now + leaseMs, asked });
  }

  /** Called when the runner mentioned the job. @returns false if no lease of this attempt is known. */
  renew(job: string, epoch: number, now: number): boolean {
    if (this.#leases.get(job)?.epoch !== epoch) return false;
    this.grant(job, epoch, now);
    return true;
  }

  drop(job: string): void {
    this.#leases.delete(job);
  }

  dropLapsed(now: number): void {
    for (const { job, until } of this.records()) if (until <= now) this.drop(job);
  }

  clear(): void {
    this.#leases.clear();
  }

  /** Expiry of the first lease; undefined if there is none. */
  get nextLapse(): number | undefined {
    const moments = [...this.#leases.values()].map((lease) => lease.until);
    return moments.length === 0 ? undefined : Math.min(...moments);
  }

  /** For the socket's attachment, from which an object restores its leases when it wakes up. */
  records(): Lease[] {
    return [...this.#leases.values()];
  }
}
