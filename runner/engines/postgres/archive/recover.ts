/** Finishes or removes the work of an interrupted restore. The names and marks of its databases are the only input. */
import type pg from 'pg';
import type { DataPlace, RestoreNames } from '../../archive/archive.ts';
import {
  allowConnections,
  dropDatabases,
  endSessions,
  namesOf,
  numberedDatabases,
  replacesSetting,
  withMaintenance,
} from './beside.ts';
import { dropMadeRoles } from './restore-roles.ts';
import { withClient } from './with-client.ts';

/** @see RestoreNames: the names show the progress of the restore */
export async function recover(place: DataPlace, names: RestoreNames): Promise<'swapped' | 'untouched'> {
  const { live, fresh, old } = namesOf(place, names);
  return withMaintenance(place, async (client) => {
    const { rows } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [old]);
    if (rows.length > 0) return 'swapped';
    await reopen(client, live, await numberedDatabases(client, fresh));
    await discardLoaded(place, names);
    return 'untouched';
  });
}

/** Allows connections again to the databases that the new ones would have replaced. */
async function reopen(client: pg.Client, live: string, fresh: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database WHERE NOT datallowconn AND (datname = $1 OR datname IN (
      SELECT substr(setting, length($3) + 2) FROM pg_db_role_setting s JOIN pg_database f ON f.oid = s.setdatabase,
        unnest(s.setconfig) AS setting
      WHERE f.datname = ANY($2) AND s.setrole = 0 AND starts_with(setting, $3 || '=')))`,
    [live, fresh, replacesSetting],
  );
  for (const { name } of rows) await allowConnections(client, name, true);
}

/** @see InPlaceArchive.removeOld */
export async function removeOld(place: DataPlace, names: RestoreNames): Promise<void> {
  const { old } = namesOf(place, names);
  await withMaintenance(place, async (client) => {
    await dropDatabases(place, client, await numberedDatabases(client, old));
  });
}

/** Removes the loaded databases. @see InPlaceArchive.discard */
export async function discardLoaded(place: DataPlace, names: RestoreNames): Promise<void> {
  const { fresh } = namesOf(place, names);
  await withMaintenance(place, async (client) => {
    const loaded = await numberedDatabases(client, fresh);
    await endSessions(client, loaded);
    // Emptying only helps the drop, whose error reports the problem.
    for (const database of loaded) await emptyDatabase(place, database).catch(() => {});
    await dropDatabases(place, client, loaded);
    await dropMadeRoles(client, names);
  });
}

/** The number of largest tables, which have nearly all of the data. */
const tablesMax = 100;

/**
 * Frees the space of a database that will be dropped: drops its largest tables, which gives their space back at once. The drop of a database first
 * writes a checkpoint, and a checkpoint that finds the disk full ends the server. Tables that can't be dropped are kept.
 */
async function emptyDatabase(
  place: Pick<DataPlace, 'address' | 'env' | 'signal'>,
  database: string,
): Promise<void> {
  await withClient(place, database, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', nspname, relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
        WHERE relkind = 'r' AND relpersistence <> 't' AND nspname NOT IN ('pg_catalog', 'information_schema')
        ORDER BY pg_relation_size(c.oid) DESC LIMIT ${tablesMax}`,
    );
    for (const { name } of rows) await client.query(`DROP TABLE IF EXISTS ${name} CASCADE`).catch(() => {});
  });
}
