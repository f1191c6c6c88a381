/**
 * Fills a new server from an archive: collections with their options, then the documents in the archive's order, accounts, and last the
 * indexes and views. Archives written by MongoDB's own tools are read in the same way.
 */

import type { MongoClient } from 'mongodb';
import { crashPoint } from '../../../base/crash-point.ts';
import type { ArchiveFile, Contents, FreshPlace } from '../../archive/archive.ts';
import { unpacked } from '../../archive/file-import.ts';
import { readWithProgress } from '../../archive/read-with-progress.ts';
import { userOf } from '../client.ts';
import { Accounts } from './accounts.ts';
import { countAll, isAccounts, isSaved, versionOf } from './catalog.ts';
import { filling } from './connect.ts';
import { Filler } from './filler.ts';
import { type CollectionEntry, type Namespace, nameOf, storedIn } from './format.ts';
import { type CollectionShape, creationOf, indexesToMake, shapeOf } from './metadata.ts';
import { readArchive } from './read-archive.ts';

/** Expired documents are deleted once the database serves, not while they are counted. */
export const loadingArguments = ['--setParameter', 'ttlMonitorEnabled=false'];

export const load = (place: FreshPlace, file: ArchiveFile): Promise<Contents> =>
  filling(place, (client) => {
    const chunks = unpacked(readWithProgress(file, place), true, place.signal);
    return loadArchive(client, chunks, userOf(place.env));
  });

/** @param rootUser the server's own root user is kept @param isTaken selects the collections of the archive to load */
export async function loadArchive(
  client: MongoClient,
  chunks: AsyncIterable<Buffer>,
  rootUser: string,
  isTaken: (entry: Namespace) => boolean = () => true,
): Promise<Contents> {
  const version = await versionOf(client);
  const accounts = new Accounts(client, rootUser);
  let planned: Planned[] = [];
  let targets = new Map<string, Target>();
  for await (const part of readArchive(chunks)) {
    if (part.type === 'prelude') {
      const taken = part.entries.filter((entry) => isSaved(entry) && isTaken(entry));
      planned = taken.map((entry) => ({ entry, shape: shapeOf(entry) }));
      await createCollections(client, planned);
      targets = targetsOf(client, planned, { from: part.serverVersion, to: version }, accounts);
    } else if (part.type === 'documents') await targets.get(part.of)?.take(part.bytes, part.count);
    else await targets.get(part.of)?.end();
  }
  await accounts.merge();
  crashPoint('load:filled');
  const contents = await countAll(client);
  for (const one of planned) await createIndexes(client, one);
  for (const one of planned.filter(isView)) await create(client, one);
  return contents;
}

interface Planned {
  entry: CollectionEntry;
  shape: CollectionShape;
}

/** Receives the documents of one collection. */
export interface Target {
  take(bytes: Buffer, count: number): Promise<void>;
  end(): Promise<void>;
}

/** Keyed by the collection's name in the archive. Documents of any other collection are read and dropped. */
function targetsOf(
  client: MongoClient,
  planned: readonly Planned[],
  version: { from: string; to: string },
  accounts: Accounts,
): Map<string, Target> {
  const targets = planned.flatMap((one): [string, Target][] => {
    const { entry } = one;
    if (isView(one)) return [];
    const source = nameOf(storedIn(entry, version.from));
    const target = isAccounts(entry)
      ? accounts.targetFor(entry.collection)
      : new Filler(client, entry, version.to);
    return target ? [[source, target]] : [];
  });
  return new Map(targets);
}

const isView = ({ shape }: Planned) => shape.options.has('viewOn');

async function createCollections(client: MongoClient, planned: readonly Planned[]): Promise<void> {
  for (const one of planned) {
    const isServers = one.entry.collection.startsWith('system.');
    if (!isServers && !isView(one)) await create(client, one);
  }
}

async function create(client: MongoClient, { entry: { db, collection }, shape }: Planned): Promise<void> {
  await client.db(db).command({ create: collection, ...creationOf(shape) });
}

async function createIndexes(
  client: MongoClient,
  { entry: { db, collection }, shape }: Planned,
): Promise<void> {
  const indexes = indexesToMake(shape);
  if (indexes.length === 0 || collection.startsWith('system.')) return;
  await client.db(db).command({ createIndexes: collection, indexes });
}
