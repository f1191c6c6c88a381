/**
 * Disk space that is set aside for what must be written even when there is none left: the end of a job, and whatever cleans up after it.
 * A file of random bytes (file systems that compress would give back zeros), removed at the moment in which a write meets a full disk.
 */
import { randomFillSync } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** The ends of some hundred jobs, with what SQLite writes beside them. */
export const reserveBytes = 4 * 2 ** 20;
/** A disk with less room than this many reserves is about to be full again. */
const roomyReserves = 8;
/** A released reserve is made again no more often than this. */
const refillMs = 30_000;

export class DiskReserve {
  readonly #path: string;
  readonly #now: () => number;
  #triedAt = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds of a clock that only goes forward */
  constructor(path: string, now: () => number = () => performance.now()) {
    this.#path = path;
    this.#now = now;
  }

  /** Makes the reserve if it is not there and the disk has room for it. A disk that has none is no failure: there is just no reserve. */
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

  /** @returns whether there was any space to give back */
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
