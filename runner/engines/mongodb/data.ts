/**
 * Backups and imports of MongoDB. A backup is a gzip-compressed archive of `mongodump`, which `mongorestore --archive=FILE --gzip` reads.
 */
import type { ArchiveFile, Contents, DataPlace, FreshPlace } from '../archive/archive.ts';
import { unpacked } from '../archive/file-import.ts';
import type { ImportSource, VolumeUrlImport } from '../archive/url-import.ts';
import type { VolumeData } from '../database-engine.ts';
import { countAll } from './archive/catalog.ts';
import { closing, filling, reading } from './archive/connect.ts';
import { archiveOf, dump } from './archive/dump.ts';
import { mongoFileImport } from './archive/import-file.ts';
import { isNoAccount, keepAccounts } from './archive/keep-accounts.ts';
import { load, loadArchive, loadingArguments } from './archive/load.ts';
import { shapeOf } from './archive/metadata.ts';
import { readArchive } from './archive/read-archive.ts';
import { openSource, withSourceName } from './archive/source.ts';
import { userOf } from './client.ts';

/** Import of MongoDB: the source is dumped as for a backup, and the dump is loaded directly. The users of this database are kept. */
const mongoImport: VolumeUrlImport = { contents: (place) => reading(place, countAll), fill };

async function fill(
  fresh: FreshPlace,
  from: ImportSource,
  live: DataPlace,
): Promise<{ loaded: Contents; source: Contents }> {
  const { client, database, name } = await openSource(from);
  return await closing(client, fresh.signal, () =>
    filling(fresh, async (filled) => {
      await keepAccounts(live, filled);
      const rootUser = userOf(fresh.env);
      const source: Contents = { tables: 0, rows: 0 };
      const request = { rootUser, only: database, isTaken: isNoAccount, progress: fresh.progress };
      const chunks = withSourceName(name, archiveOf(client, request, source));
      return { loaded: await loadArchive(filled, chunks, rootUser), source };
    }),
  );
}

export const mongoData: VolumeData = {
  archive: { dump, check, loadingArguments, load },
  urlImport: mongoImport,
  fileImport: mongoFileImport,
};

/** Reads an archive to its end as a restore does, but changes nothing. @throws EngineError when it is damaged; the signal's reason */
export async function check({ signal }: Pick<DataPlace, 'signal'>, file: ArchiveFile): Promise<void> {
  for await (const part of readArchive(unpacked(file.open(), true, signal)))
    if (part.type === 'prelude') part.entries.forEach(shapeOf);
}
