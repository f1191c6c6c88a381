/** Import of MongoDB: the source is dumped as for a backup, and the dump is loaded directly. The users of this database are kept. */
import type { Contents, DataPlace, FreshPlace } from '../../archive/archive.ts';
import type { ImportSource, VolumeUrlImport } from '../../archive/url-import.ts';
import { userOf } from '../client.ts';
import { countAll } from './catalog.ts';
import { closing, filling, reading } from './connect.ts';
import { archiveOf } from './dump.ts';
import { isNoAccount, keepAccounts } from './keep-accounts.ts';
import { loadArchive } from './load.ts';
import { openSource, withSourceName } from './source.ts';

export const mongoImport: VolumeUrlImport = { contents: (place) => reading(place, countAll), fill };

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
