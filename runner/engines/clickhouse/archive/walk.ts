/** Reads a backup from its first byte to its last, and refuses any format that `dump` does not write. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import { z } from 'zod';
import { EngineError } from '../../engine-error.ts';
import { partName } from './dump.ts';
import {
  countsName,
  countsSchema,
  type Manifest,
  manifestName,
  manifestSchema,
  type SavedTable,
  tablesOf,
} from './manifest.ts';

/** Even a manifest of a hundred thousand tables is smaller. */
const jsonBytesMax = 256 * 1024 * 1024;

export interface Visitor {
  /** Called first. */
  manifest?(manifest: Manifest): Promise<void>;
  /** @param rows must be read to their end @returns how many there were */
  table(table: SavedTable, place: number, rows: AsyncIterable<Buffer>): Promise<number>;
}

/** @throws EngineError when it is not a complete backup; what the visitor throws */
export async function walk(source: Readable, visitor: Visitor): Promise<void> {
  const tar = extract();
  const fed = pipeline(source, tar);
  // When the source ends early, the error of an unfinished entry doesn't say why. This one does.
  const reason = fed.then(
    () => undefined,
    (error: unknown) => error,
  );
  const entries = new Entries(tar[Symbol.asyncIterator](), reason);
  try {
    const manifest = parsed(manifestSchema, await entries.take(manifestName));
    await visitor.manifest?.(manifest);
    const counts: number[] = [];
    for (const [place, table] of tablesOf(manifest.objects).entries())
      counts.push(await visitor.table(table, place, entries.parts(place)));
    refuseOtherCounts(counts, parsed(countsSchema, await entries.take(countsName)).rows, manifest);
    if (await entries.current()) throw damaged('data follows its end');
  } finally {
    tar.destroy();
    source.destroy();
  }
}

type Entry = ReturnType<typeof extract> extends AsyncIterable<infer Each> ? Each : never;

class Entries {
  readonly #iterator: AsyncIterator<Entry>;
  readonly #reason: Promise<unknown>;
  #ahead: Promise<Entry | undefined> | undefined;

  /** @param reason resolves to why reading failed, once it has ended */
  constructor(iterator: AsyncIterator<Entry>, reason: Promise<unknown>) {
    this.#iterator = iterator;
    this.#reason = reason;
  }

  current(): Promise<Entry | undefined> {
    this.#ahead ??= this.#iterator.next().then(
      ({ done, value }) => (done ? undefined : value),
      (error: unknown) => this.#fail(error),
    );
    return this.#ahead;
  }

  async take(name: string): Promise<Buffer> {
    const entry = await this.current();
    if (entry?.header.name !== name) throw damaged(`${name} is missing at its place`);
    if ((entry.header.size ?? 0) > jsonBytesMax) throw damaged(`${name} is too large`);
    const chunks: Buffer[] = [];
    for await (const chunk of this.#bytes(entry)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** The rows of one table. */
  async *parts(place: number): AsyncGenerator<Buffer> {
    for (let part = 0; ; part++) {
      const entry = await this.current();
      if (entry?.header.name !== partName(place, part)) return;
      yield* this.#bytes(entry);
    }
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
    throw damaged(sentenceOf((await this.#reason) ?? error));
  }
}

function refuseOtherCounts(counts: number[], expected: number[], { objects }: Manifest): void {
  for (const [place, { database, name }] of tablesOf(objects).entries()) {
    if (counts[place] === expected[place]) continue;
    throw damaged(`${database}.${name} has ${counts[place]} rows and was written with ${expected[place]}`);
  }
}

function parsed<T>(schema: z.ZodType<T>, bytes: Buffer): T {
  try {
    return schema.parse(JSON.parse(bytes.toString()));
  } catch (error) {
    throw damaged(error instanceof z.ZodError ? z.prettifyError(error) : String(error));
  }
}

const sentenceOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const damaged = (reason: string) =>
  new EngineError('unavailable', `The file is not a complete backup of ClickHouse: ${reason}.`);
