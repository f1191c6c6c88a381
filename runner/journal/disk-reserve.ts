/**
 * Disk space reserved for writes that must succeed even on a full disk: the end of a job, and its clean-up. The file contains random bytes
 * (compressing file systems would save no space for zeros) and is removed when a write hits a full disk.
 */
import { randomFillSync } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Enough for the ends of several hundred jobs, including SQLite's own files. */
export const reserveBytes = 4 * 2 ** 20;
/** A disk with less free space than this many reserves will soon be full again. */
const roomyReserves = 8;
/** Minimum time between two attempts to recreate a released reserve. */
const refillMs = 30_000;

export class DiskReserve {
  readonly #path: string;
  readonly #now: () => number;
  #triedAt = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds of a monotonic clock */
  constructor(path: string, now: () => number = () => performance.now()) {
    this.#path = path;
    this.#now = now;
  }

  /** Creates the reserve if it is missing and the disk has room. Without room there is no reserve, which is not an error. */
  fill(): void {
    if (this.#now() - this.#triedAt < refillMs || existsSync(this.#path)) return;
    this.#triedAt = this.#now();
    try {
      const { bavail, bsize } = statfsSync(dirname(this.#path));
      if (bavail * bsize >= roomyReserves * reserveBytes) this.#write();
    } catch {
      this.release();
    }
  }

  /** @returns true if there was a reserve to release */
  release(): boolean {
    if (!existsSync(this.#path)) return false;
    rmSync(this.#path, { force: true });
    return true;
  }

  #write(): void {
    const file = openSync(this.#path, 'w', 0o600);
    try {
      const bytes = randomFillSync(Buffer.alloc(reserveBytes));
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }
}
