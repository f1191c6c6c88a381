/** Imports a user's dump file into an engine: reads the file to its end, loads it beside the live data, and swaps the two. */
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { EngineError } from '../engine-error.ts';
import type { ArchiveFile, Contents, DataPlace, FreshPlace, LoadedData, RestoreNames } from './archive.ts';
import { ImportRefusal } from './import-refusal.ts';

/** Engines that can be filled from a file. All methods throw EngineError. The users, roles and grants of the dump are not created. */
export interface InPlaceFileImport {
  /** Counts the live data. */
  contents(place: DataPlace): Promise<Contents>;
  /** Reads the file to its end, and changes nothing. @throws ImportRefusal when it is not a complete dump of a supported format */
  inspect(place: DataPlace, file: ArchiveFile, options?: ImportOptions): Promise<SeenFile>;
}

export interface ImportOptions {
  /** Objects that can't be loaded are left out and reported. Engines whose tools can't continue after an error ignore this option. */
  continueOnError?: boolean;
}

/** A file that was read to its end and can be loaded. */
export interface SeenFile {
  /** The counts stated in the file; `null` if its format contains none. */
  source: Contents | null;
  /** Counts the live data that this file would replace. Absent: everything that `contents` of the engine counts. */
  replaced?(place: DataPlace): Promise<Contents>;
  load(place: DataPlace, names: RestoreNames): Promise<LoadedData & { skipped?: readonly string[] }>;
}

/** Engines whose data can't be swapped inside a running server. All methods throw EngineError. */
export interface VolumeFileImport extends Pick<InPlaceFileImport, 'contents'> {
  /** @see InPlaceFileImport */
  inspect(place: DataPlace, file: ArchiveFile): Promise<SeenVolumeFile>;
}

export interface SeenVolumeFile extends Pick<SeenFile, 'source'> {
  /** Like VolumeArchive.load. @param live the database whose users are kept; it is not changed */
  fill(fresh: FreshPlace, live: DataPlace): Promise<Contents>;
}

const plainBytes = 256 * 1024;

export async function firstBytes({ open }: ArchiveFile, count: number): Promise<Buffer> {
  const stream = open();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= count) break;
  }
  return Buffer.concat(chunks).subarray(0, count);
}

/**
 * The contents of a file that may be gzip-compressed. @param packed its bytes @throws EngineError when it is damaged; the signal's reason
 */
export async function* unpacked(
  packed: AsyncIterable<Buffer>,
  isPacked: boolean,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const plain = isPacked ? createGunzip({ chunkSize: plainBytes }) : new PassThrough();
  const reading = pipeline(packed, plain, { signal });
  reading.catch(() => {}); // The reader of the stream reports the error.
  try {
    yield* plain as AsyncIterable<Buffer>;
  } catch (error) {
    signal.throwIfAborted();
    const words = error instanceof Error ? error.message : error;
    throw new EngineError('unavailable', `The file is damaged: ${words}.`, { cause: error });
  } finally {
    plain.destroy();
  }
}

/** The first two bytes of a gzip file: RFC 1952, 2.3.1. */
export const isGzip = (head: Buffer) => head[0] === 0x1f && head[1] === 0x8b;

/** @param wanted the accepted files and how to create one; ends without a full stop */
export function refuseFile(wanted: string, found?: string): ImportRefusal {
  const what = found === undefined ? `not ${wanted}` : `${found}, but must be ${wanted}`;
  return new ImportRefusal(`The uploaded file is ${what}.`);
}
