/**
 * Imports an archive created by a user with `mongodump --archive`, or a backup of another Longshore. The users of this database are kept.
 */
import type { ArchiveFile, Contents, DataPlace, FreshPlace } from '../../archive/archive.ts';
import {
  firstBytes,
  isGzip,
  refuseFile,
  unpacked,
  type VolumeFileImport,
} from '../../archive/file-import.ts';
import { ImportRefusal } from '../../archive/import-refusal.ts';
import { readWithProgress } from '../../archive/read-with-progress.ts';
import { userOf } from '../client.ts';
import { countAll, isCounted, isSaved } from './catalog.ts';
import { filling, reading } from './connect.ts';
import { magic, nameOf, storedIn, word } from './format.ts';
import { isNoAccount, keepAccounts } from './keep-accounts.ts';
import { loadArchive } from './load.ts';
import { shapeOf } from './metadata.ts';
import { readArchive } from './read-archive.ts';

const headBytes = 512;
/** The format's name and its offset in a tar file. */
const tarMark = { at: 257, text: 'ustar' };

export const mongoFileImport: VolumeFileImport = {
  contents: (place) => reading(place, countAll),
  async inspect(place, file) {
    const isPacked = kindOf(await firstBytes(file, headBytes));
    const source = await count(unpacked(file.open(), isPacked, place.signal));
    return { source, fill: (fresh, live) => fill(fresh, live, file, isPacked) };
  },
};

/** @returns true if the file is compressed @throws ImportRefusal */
function kindOf(head: Buffer): boolean {
  if (isGzip(head)) return true;
  if (head.subarray(0, 4).equals(word(magic))) return false;
  const isTar = head.toString('latin1', tarMark.at).startsWith(tarMark.text);
  throw refuseFile(
    'an archive of mongodump: make it with mongodump --gzip --archive=FILE',
    isTar ? 'a tar' : undefined,
  );
}

async function count(chunks: AsyncIterable<Buffer>): Promise<Contents> {
  const held: Contents = { tables: 0, rows: 0 };
  let counted = new Set<string>();
  for await (const part of readArchive(chunks)) {
    if (part.type === 'documents' && counted.has(part.of)) held.rows += part.count;
    if (part.type !== 'prelude') continue;
    const taken = part.entries.filter((entry) => isSaved(entry) && isCounted(entry));
    for (const entry of taken) shapeOf(entry);
    counted = new Set(taken.map((entry) => nameOf(storedIn(entry, part.serverVersion))));
    held.tables = taken.length;
  }
  if (held.tables === 0) throw new ImportRefusal('The archive contains no collection.');
  return held;
}

function fill(fresh: FreshPlace, live: DataPlace, file: ArchiveFile, isPacked: boolean): Promise<Contents> {
  return filling(fresh, async (client) => {
    await keepAccounts(live, client);
    const chunks = unpacked(readWithProgress(file, fresh), isPacked, fresh.signal);
    return loadArchive(client, chunks, userOf(fresh.env), isNoAccount);
  });
}
