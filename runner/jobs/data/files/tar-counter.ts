/** Counts the entries of a volume's archive, and refuses entries that no backup contains. */
import { extract, type Header } from 'tar-stream';
import { z } from 'zod';
import type { Contents, WorkPlace } from '../../../engines/archive/archive.ts';
import { EngineError } from '../../../engines/engine-error.ts';

/** Entries of a tar by their type. Others, such as devices, are refused: no app can create them, so no backup contains them. */
const knownTypes = new Set(['file', 'directory', 'symlink', 'link', 'fifo', 'contiguous-file']);

/** GNU tar stores a sparse file under another name, and its own in this header, with the size including holes. */
const sparseSchema = z
  .object({ 'GNU.sparse.name': z.string().optional(), 'GNU.sparse.realsize': z.coerce.number().optional() })
  .nullish();

export interface VolumeContents extends Contents {
  /** Stored bytes of the files; holes of sparse files do not count. */
  bytes: number;
  /** Bytes of the holes of all sparse files. */
  holeBytes: number;
}

/** Reads the headers of a tar that passes through. */
export class TarCounter {
  readonly #entries = extract();
  readonly #read: Promise<void>;
  readonly #contents: VolumeContents = { tables: 0, rows: 0, bytes: 0, holeBytes: 0 };
  readonly #bytesMax: number;

  constructor(bytesMax = Number.POSITIVE_INFINITY) {
    this.#bytesMax = bytesMax;
    this.#read = this.#readAll();
    this.#read.catch(() => {}); // `end` throws it
  }

  async *tap(
    source: AsyncIterable<Buffer>,
    { progress }: Pick<WorkPlace, 'progress'>,
  ): AsyncGenerator<Buffer> {
    let done = 0;
    for await (const chunk of source) {
      await this.#add(chunk);
      done += chunk.length;
      progress({ done, total: null, unit: 'bytes' });
      yield chunk;
    }
  }

  async drain(source: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of source) await this.#add(chunk);
  }

  /** @throws EngineError when the tar was not complete or contains a forbidden entry */
  async end(): Promise<VolumeContents> {
    this.#entries.end(Buffer.alloc(0));
    await this.#read;
    if (this.#contents.rows > 0) return this.#contents;
    throw new EngineError(
      'invalid_request',
      'The archive is empty: not even the directory of the volume is in it.',
    );
  }

  async #add(chunk: Buffer): Promise<void> {
    if (this.#entries.destroyed) return await this.#read;
    // Copies the chunk, because the reader keeps the unparsed part.
    if (this.#entries.write(Buffer.from(chunk))) return;
    // Not a race with `#read`: a promise remembers each of its races until it settles, and an archive has millions of pieces.
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#entries.off('drain', done).off('close', done);
        resolve();
      };
      this.#entries.on('drain', done).on('close', done);
    });
    if (this.#entries.destroyed) await this.#read;
  }

  async #readAll(): Promise<void> {
    for await (const entry of this.#entries) {
      this.#count(entry.header);
      entry.resume();
    }
  }

  #count(header: Header): void {
    const sparse = sparseSchema.parse(header.pax);
    const name = sparse?.['GNU.sparse.name'] ?? header.name;
    const target = header.type === 'link' ? [header.linkname ?? ''] : [];
    if (!knownTypes.has(header.type ?? '')) {
      throw new EngineError(
        'invalid_request',
        `The archive contains "${name}", which is a ${header.type}: only files, directories, links and pipes can be backed up. Remove it from the volume.`,
      );
    }
    for (const path of [name, ...target]) {
      if (!path.startsWith('/') && !path.split('/').includes('..')) continue;
      throw new EngineError(
        'invalid_request',
        `The archive contains the path "${path}", which leads out of the volume.`,
      );
    }
    this.#contents.rows += 1;
    const size = header.size ?? 0;
    this.#contents.bytes += size;
    this.#contents.holeBytes += Math.max(0, (sparse?.['GNU.sparse.realsize'] ?? 0) - size);
    if (this.#contents.bytes <= this.#bytesMax) return;
    throw new EngineError(
      'invalid_request',
      `The files of the backup take more than the ${Math.floor(this.#bytesMax / 2 ** 20)} MB that the volume may hold: raise its "sizeMb".`,
    );
  }
}
