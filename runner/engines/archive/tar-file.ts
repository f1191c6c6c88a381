/** Writes and reads a backup as one tar file. A stream of unknown length is written as numbered parts. */
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, type Pack, pack } from 'tar-stream';
import { addEntry } from '../../base/tar-entry.ts';

const partBytes = 4 * 1024 * 1024;
/** A description has a few hundred bytes for each object. It is in memory several times while it is read. */
const takenBytesMax = 64 * 1024 * 1024;

export const partName = (folder: string, part: number, suffix = '') =>
  `${folder}/${String(part).padStart(8, '0')}${suffix}`;

export class TarWriter {
  readonly #tar: Pack = pack();
  readonly #flushed: Promise<void>;

  constructor(sink: Writable, signal: AbortSignal) {
    this.#flushed = pipeline(this.#tar, sink, { signal });
    this.#flushed.catch(() => {}); // `end` and `add` report the error
  }

  /** Waits while the disk is slow. */
  async add(name: string, bytes: Buffer): Promise<void> {
    const added = addEntry(this.#tar, { name, mode: 0o600 }, bytes);
    await Promise.race([added, this.#flushed.then(() => added)]);
  }

  /** A stream whose bytes become the parts of this folder. */
  folder(folder: string): Writable {
    let part = 0;
    let chunks: Buffer[] = [];
    let size = 0;
    const flush = async () => {
      const bytes = Buffer.concat(chunks);
      [chunks, size] = [[], 0];
      await this.add(partName(folder, part++), bytes);
    };
    return new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk);
        size += chunk.length;
        if (size < partBytes) return done();
        flush().then(() => done(), done);
      },
      final(done) {
        if (size === 0) return done();
        flush().then(() => done(), done);
      },
    });
  }

  async end(): Promise<void> {
    this.#tar.finalize();
    await this.#flushed;
  }

  destroy(): void {
    this.#tar.destroy();
  }
}

type Entry = ReturnType<typeof extract> extends AsyncIterable<infer Each> ? Each : never;

/** Reads the entries in order. `damaged` creates the error for a damaged file. */
export class TarReader {
  readonly #source: Readable;
  readonly #tar = extract();
  readonly #iterator: AsyncIterator<Entry>;
  readonly #damaged: (reason: string) => Error;
  /** The reason why reading failed, which the error of an unfinished entry does not contain. */
  readonly #reason: Promise<unknown>;
  #ahead: Promise<Entry | undefined> | undefined;

  constructor(source: Readable, damaged: (reason: string) => Error) {
    this.#source = source;
    this.#damaged = damaged;
    this.#iterator = this.#tar[Symbol.asyncIterator]();
    this.#reason = pipeline(source, this.#tar).then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  /** @throws the error of `damaged` if the next entry is another one or missing */
  async take(name: string): Promise<Buffer> {
    const entry = await this.#next();
    if (entry?.header.name !== name) throw this.#damaged(`${name} is missing or in the wrong place`);
    if ((entry.header.size ?? 0) > takenBytesMax) throw this.#damaged(`${name} is too large`);
    const chunks: Buffer[] = [];
    for await (const chunk of this.#bytes(entry)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** The bytes of a folder. A reader may stop early and continue later. */
  folder(folder: string, suffix = ''): AsyncIterable<Buffer> {
    const parts = this.#parts(folder, suffix);
    return { [Symbol.asyncIterator]: () => ({ next: () => parts.next() }) };
  }

  async *#parts(folder: string, suffix: string): AsyncGenerator<Buffer> {
    for (let part = 0; ; part++) {
      const entry = await this.#next();
      if (entry?.header.name !== partName(folder, part, suffix)) return;
      yield* this.#bytes(entry);
    }
  }

  /** @throws the error of `damaged` if there is another entry */
  async end(): Promise<void> {
    if (await this.#next()) throw this.#damaged('data follows its end');
  }

  close(): void {
    this.#tar.destroy();
    this.#source.destroy();
  }

  #next(): Promise<Entry | undefined> {
    this.#ahead ??= this.#iterator.next().then(
      ({ done, value }) => (done ? undefined : value),
      (error: unknown) => this.#fail(error),
    );
    return this.#ahead;
  }

  async *#bytes(entry: Entry): AsyncGenerator<Buffer> {
    try {
      yield* entry as unknown as AsyncIterable<Buffer>;
    } catch (error) {
      await this.#fail(error);
    }
    this.#ahead = undefined;
  }

  async #fail(error: unknown): Promise<never> {
    const reason = (await this.#reason) ?? error;
    throw this.#damaged(reason instanceof Error ? reason.message : String(reason));
  }
}
