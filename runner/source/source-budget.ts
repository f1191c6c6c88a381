/** Size limits for a whole checkout, including submodules and large files (LFS). */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { JobFailure } from '../base/job-failure.ts';

export interface SourceLimits {
  /** Limit for bytes received, and separately for bytes of files. */
  bytesMax: number;
  filesMax: number;
}

/** Far above normal sizes; on most disks, twice this fits into the space that a deployment requires before it starts (disk-space.ts). */
export const sourceLimits: SourceLimits = { bytesMax: 10 ** 9, filesMax: 300_000 };
/** A fast connection receives about 30 MB in this time. */
const watchIntervalMs = 250;

export class SourceBudget {
  readonly #limits: SourceLimits;
  readonly #what: string;
  #received = 0;
  #files = 0;
  #bytes = 0;

  /** @param what the source's name in messages */
  constructor(limits: SourceLimits = sourceLimits, what: 'repository' | 'folder' = 'repository') {
    this.#limits = limits;
    this.#what = what;
  }

  /** @throws JobFailure `source_refused` with both numbers. */
  addReceived(bytes: number): void {
    this.#received += bytes;
    this.#refuseOver(this.#received, `${megabytes(this.#received)} were received before it was stopped`);
  }

  /** Counts files before they are written. @throws JobFailure `source_refused` with the numbers. */
  addFiles(count: number, bytes: number): void {
    this.#files += count;
    this.#bytes += bytes;
    const { filesMax } = this.#limits;
    if (this.#files > filesMax) {
      throw new JobFailure(
        'source_refused',
        `The ${this.#what} is too large: it has more than ${filesMax.toLocaleString('en-GB')} files, the limit for a checkout.`,
      );
    }
    this.#refuseOver(this.#bytes, `its files take ${megabytes(this.#bytes)}`);
  }

  /**
   * Watches a growing pack while `work` fetches it, and aborts the work when the pack is too large.
   * @param directory `.git` of the repository
   */
  async watch<T>(directory: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const packs = join(directory, 'objects', 'pack');
    const tooLarge = new AbortController();
    let seen = 0;
    const measure = async () => {
      const size = await sizeOf(packs);
      const more = size - seen;
      seen = size;
      this.addReceived(more);
    };
    const timer = setInterval(() => {
      measure().catch((error: unknown) => tooLarge.abort(error));
    }, watchIntervalMs);
    try {
      const result = await work(tooLarge.signal);
      await measure();
      return result;
    } finally {
      clearInterval(timer);
    }
  }

  /** @param shown the size in the message's form */
  #refuseOver(bytes: number, shown: string): void {
    const { bytesMax } = this.#limits;
    if (bytes <= bytesMax) return;
    throw new JobFailure(
      'source_refused',
      `The ${this.#what} is too large: ${shown}, and the limit is ${megabytes(bytesMax)}. Keep large files in an object store or a volume.`,
    );
  }
}

async function sizeOf(directory: string): Promise<number> {
  const names = await readdir(directory).catch(() => []);
  const sizes = names.map(async (name) => (await stat(join(directory, name)).catch(() => undefined))?.size);
  return (await Promise.all(sizes)).reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6).toLocaleString('en-GB')} MB`;
