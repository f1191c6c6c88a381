/** How a dump that a user brings gets into an engine: read to its end, loaded beside the live data, exchanged. */
import type { ArchiveFile, Contents, DataPlace, FreshPlace, LoadedData, RestoreNames } from './archive.ts';
import { ImportRefusal } from './import.ts';

/** Engines that are filled from a file. All methods throw EngineError. Users, roles and grants of the dump are not made. */
export interface FileImporter {
  /** What the live data holds. */
  contents(place: DataPlace): Promise<Contents>;
  /**
   * Reads the file to its end, and changes nothing.
   * @returns what the file says that it holds; null where its format doesn't say
   * @throws ImportRefusal when it is no whole dump of a kind that is taken here
   */
  inspect(place: DataPlace, file: ArchiveFile): Promise<Contents | null>;
  load(place: DataPlace, file: ArchiveFile, names: RestoreNames): Promise<LoadedData>;
}

/** Engines whose data can't be exchanged inside a running server. All methods throw EngineError. */
export interface VolumeFileImporter extends Pick<FileImporter, 'contents' | 'inspect'> {
  /** As VolumeArchive.load. */
  fill(fresh: FreshPlace, file: ArchiveFile): Promise<Contents>;
}

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

/** What begins a file of gzip: RFC 1952, 2.3.1. */
export const isGzip = (head: Buffer) => head[0] === 0x1f && head[1] === 0x8b;

/** @param wanted what is taken, and how it is made; ends without a full stop */
export function refuseFile(wanted: string, found?: string): ImportRefusal {
  return new ImportRefusal(`The uploaded file is ${found ?? 'something else'}; what is taken is ${wanted}.`);
}
