/** Loads a backup of a whole server. */
import type { ArchiveFile, DataPlace, LoadedData, RestoreNames } from '../../archive/archive.ts';
import { readWithProgress } from '../../archive/read-with-progress.ts';
import { EngineError } from '../../engine-error.ts';
import { databaseOf, userOf } from '../client-config.ts';
import { namesOf, withMaintenance } from './beside.ts';
import { loadBeside } from './load.ts';
import { type Manifest, manifestName, walk } from './manifest.ts';
import type { RestoreHooks, Target } from './plan.ts';
import { checkDump, runRestore } from './tools.ts';

/** @param how.skipped as for `runRestore` @throws EngineError; the signal's reason. Then no new database is left. */
export async function loadServer(
  place: DataPlace,
  file: ArchiveFile,
  names: RestoreNames,
  { hooks, skipped }: { hooks: RestoreHooks; skipped?: string[] | undefined },
): Promise<LoadedData> {
  const manifest = await readManifest(file);
  await refuseNewer(place, manifest);
  const targets = targetsOf(place, names, manifest);
  return loadBeside(place, names, {
    ...{ targets, hooks },
    roles: { roles: manifest.roles, ownUser: userOf(place.env), savedUser: manifest.user },
    fill: () => fill(place, file, targets, skipped),
  });
}

async function refuseNewer(place: DataPlace, { serverVersion }: Manifest): Promise<void> {
  const major = (version: number) => Math.floor(version / 10_000);
  const own = await withMaintenance(place, async (client) => {
    const { rows } = await client.query<{ version: number }>(
      "SELECT current_setting('server_version_num')::int AS version",
    );
    return major(rows[0]?.version ?? 0);
  });
  if (major(serverVersion) <= own) return;
  throw new EngineError(
    'unavailable',
    `The backup is of PostgreSQL ${major(serverVersion)}, and this database runs ${own}: only a server of the same or a later major version can load it.`,
  );
}

/** Loads the whole file except tablespaces, which belong to a server. */
async function fill(
  place: DataPlace,
  file: ArchiveFile,
  targets: readonly Target[],
  skipped: string[] | undefined,
): Promise<void> {
  await walk(readWithProgress(file, place), {
    async database(_, index, dump) {
      const target = targets[index];
      if (target) await runRestore(place, target.fresh, dump, ['--no-tablespaces'], skipped);
    },
  });
}

async function readManifest(file: ArchiveFile): Promise<Manifest> {
  const enough = new Error('read');
  let found: Manifest | undefined;
  await walk(file.open(), {
    async manifest(manifest) {
      found = manifest;
      throw enough;
    },
    async database() {},
  }).catch((error: unknown) => {
    if (error !== enough) throw error;
  });
  return found as Manifest;
}

/** The service's own database has its name here; the others keep theirs. @throws EngineError if two would have the same name */
function targetsOf(place: DataPlace, names: RestoreNames, { databases }: Manifest): Target[] {
  const own = databaseOf(place.env);
  return databases.map((facts, index) => {
    const { fresh, old } = namesOf(place, names, index);
    const live = index === 0 ? own : facts.name;
    if (index > 0 && live === own)
      throw new EngineError(
        'unavailable',
        `The backup has another database named ${own}, which is the name of this service's own database: restore it into a service whose database has another name.`,
      );
    return { live, fresh, old, facts, extensions: facts.extensions };
  });
}

/** @throws EngineError when the file is not a complete backup */
export async function check(place: DataPlace, file: ArchiveFile): Promise<void> {
  await checkServer(place, file);
}

/** Reads a backup of a whole server to its end. */
export const checkServer = (place: DataPlace, file: ArchiveFile) =>
  walk(file.open(), { database: (_database, _index, dump) => checkDump(place, dump) });

/** A tar begins with the name of its first file. */
export const isServerBackup = (head: Buffer) => head.toString('latin1').startsWith(`${manifestName}\0`);
