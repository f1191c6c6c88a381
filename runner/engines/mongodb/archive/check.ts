/** Reads an archive to its end as a restore does, and changes nothing. */
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { ArchiveFile, DataPlace } from '../../archive/archive.ts';
import { EngineError } from '../../engine-error.ts';
import { shapeOf } from './metadata.ts';
import { readArchive } from './read-archive.ts';

export async function check({ signal }: Pick<DataPlace, 'signal'>, file: ArchiveFile): Promise<void> {
  try {
    await pipeline(file.open(), createGunzip({ chunkSize: 256 * 1024 }), readAll, { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EngineError) throw error;
    const words = error instanceof Error ? error.message : error;
    throw new EngineError('unavailable', `The dump is damaged: ${words}.`, { cause: error });
  }
}

async function readAll(chunks: AsyncIterable<Buffer>): Promise<void> {
  for await (const part of readArchive(chunks)) if (part.type === 'prelude') part.entries.forEach(shapeOf);
}
