/** Searches, beside the dump, for data that a backup does not contain or that a restore changes. */
import type { DataPlace } from '../../../archive/archive.ts';
import { withMaintenance } from '../beside.ts';
import type { Manifest } from '../manifest.ts';
import { withClient } from '../with-client.ts';
import { builtInNotes, serverNotes } from './built-in-notes.ts';
import { changedMembers, type ExtensionMembers, madeAgain, membersIn } from './extension-members.ts';
import { findNotKept } from './not-kept.ts';
import { findUnloadable } from './unloadable.ts';

interface Searched {
  manifest: Manifest;
  /** Roles whose password is left out. */
  withoutPassword: readonly string[];
  /** Names of all databases, also of those that are not in the backup. */
  all: readonly string[];
}

/** @returns sentences for `notKept` @throws EngineError; the signal's reason */
export async function findLeftOut(
  place: DataPlace,
  { manifest, withoutPassword, all }: Searched,
): Promise<string[]> {
  const server = await withMaintenance(place, async (client) => ({
    found: await findNotKept(client, manifest, { env: place.env, withoutPassword }),
    notes: await serverNotes(client),
    members: await membersIn(client),
  }));
  const [notes, members, unloadable] = [server.notes.found, [] as string[], [] as string[]];
  const known = new Map<string, ExtensionMembers[]>();
  for (const database of all) {
    const here = await withClient(place, database, async (client) => {
      notes.push(...(await builtInNotes(client, database, server.notes.initial)));
      if (manifest.databases.some(({ name }) => name === database))
        unloadable.push(...(await findUnloadable(client, database)));
      return membersIn(client);
    });
    const kinds = JSON.stringify(here.map(({ name, version, schema }) => [name, version, schema]));
    const made = known.get(kinds) ?? (await madeAgain(place, here, server.members));
    known.set(kinds, made);
    members.push(...changedMembers(database, here, made));
  }
  return [...server.found, ...notes, ...members, ...unloadable];
}
