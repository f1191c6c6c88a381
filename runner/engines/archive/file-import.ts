/** How a dump that a user brings gets into an engine: read to its end, loaded beside the live data, exchanged. */
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { EngineError } from '../engine-error.ts';
import type { ArchiveFile, Contents, DataPlace, FreshPlace, LoadedData, RestoreNames } from './archive.ts';
import { ImportRefusal } from './import-refusal.ts';

/** Engines that are filled from a file. All methods throw EngineError. Users, roles and grants of the dump are not made. */
export interface InPlaceFileImport {
  /** What the live data holds. */
  contents(place: DataPlace): Promise<Contents>;
  /** Reads the file to its end, and changes nothing. @throws ImportRefusal when it is no whole dump of a kind that is taken here */
  inspect(place: DataPlace, file: ArchiveFile): Promise<SeenFile>;
}

/** A file that was read to its end and can be loaded. */
export interface SeenFile {
  /** What the file says that it holds; null where its format doesn't say. */
  source: Contents | null;
  load(place: DataPlace, names: RestoreNames): Promise<LoadedData>;
}

/** Engines whose data can't be exchanged inside a running server. All methods throw EngineError. */
export interface VolumeFileImport extends Pick<InPlaceFileImport, 'contents'> {
  /** @see InPlaceFileImport */
  inspect(place: DataPlace, file: ArchiveFile): Promise<SeenVolumeFile>;
}

export interface SeenVolumeFile extends Pick<SeenFile, 'source'> {
  /** As VolumeArchive.load. @param live holds the users that stay; it stays as it is */
  fill(fresh: FreshPlace, live: DataPlace): Promise<Contents>;
}

const plainBytes = 256 * 1024;

/** The beginning of a file. */
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

/** A file that may be compressed by gzip. @param packed its bytes @throws EngineError when it is damaged; the signal's reason */
export async function* unpacked(
  packed: AsyncIterable<Buffer>,
  isPacked: boolean,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const plain = isPacked ? createGunzip({ chunkSize: plainBytes }) : new PassThrough();
  const reading = pipeline(packed, plain, { signal });
  reading.catch(() => {}); // told by who reads it
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

/** What begins a file of gzip: RFC 1952, 2.3.1. */
export const isGzip = (head: Buffer) => head[0] === 0x1f && head[1] === 0x8b;

/** @param wanted what is taken, and how it is made; ends without a full stop */
export function refuseFile(wanted: string, found?: string): ImportRefusal {
  return new ImportRefusal(`The uploaded file is ${found ?? 'something else'}; what is taken is ${wanted}.`);
}
