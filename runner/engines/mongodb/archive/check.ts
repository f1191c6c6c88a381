import type { ArchiveFile, DataPlace } from '../../archive/archive.ts';
import { unpacked } from '../../archive/file-import.ts';
import { shapeOf } from './metadata.ts';
import { readArchive } from './read-archive.ts';

/** Reads an archive to its end as a restore does, but changes nothing. @throws EngineError when it is damaged; the signal's reason */
export async function check({ signal }: Pick<DataPlace, 'signal'>, file: ArchiveFile): Promise<void> {
  for await (const part of readArchive(unpacked(file.open(), true, signal)))
    if (part.type === 'prelude') part.entries.forEach(shapeOf);
}
