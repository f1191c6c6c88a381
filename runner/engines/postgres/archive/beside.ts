/**
 * Databases that a restore or an import creates beside the live ones. Their names and their marks tell a restarted runner the progress.
 */
import pg from 'pg';
import type { DataPlace, RestoreNames } from '../../archive/archive.ts';
import { databaseOf } from '../client-config.ts';
import { freshPrefix, oldPrefix } from './database-facts.ts';
import { withClient } from './with-client.ts';

/** A setting of a new database: its name after the swap. */
export const replacesSetting = 'longshore.replaces';

type Place = Pick<DataPlace, 'address' | 'env' | 'signal'>;

/**
 * The databases of one restore.
 * @param index 0: the service's own database
 */
export function namesOf(place: Pick<DataPlace, 'env'>, { suffix }: RestoreNames, index = 0) {
  const end = index === 0 ? suffix : `${suffix}_${index}`;
  return { live: databaseOf(place.env), fresh: `${freshPrefix}${end}`, old: `${oldPrefix}${end}` };
}

/** Connects to a maintenance database for renames: a session can't rename the database that it is connected to. */
export const withMaintenance = <T>(place: Place, use: (client: pg.Client) => Promise<T>) =>
  withClient(place, 'template1', use);

/** A place for work that must finish although the job is stopped. */
export const unstopped = (place: DataPlace): DataPlace => ({
  ...place,
  signal: new AbortController().signal,
});

export const allowConnections = (client: pg.Client, database: string, allowed: boolean) =>
  client.query(`ALTER DATABASE ${pg.escapeIdentifier(database)} ALLOW_CONNECTIONS ${allowed}`);

/**
 * Event triggers run at each login, too, and may refuse it or write rows. Only PostgreSQL 17 and newer have these, and the setting.
 * @param value `undefined` for no setting, which means on
 */
export async function loginTriggers(client: pg.Client, database: string, value?: string): Promise<string[]> {
  const { rows } = await client.query("SELECT 1 FROM pg_settings WHERE name = 'event_triggers'");
  const set =
    value === undefined ? 'RESET event_triggers' : `SET event_triggers TO ${pg.escapeLiteral(value)}`;
  return rows.length === 0 ? [] : [`ALTER DATABASE ${pg.escapeIdentifier(database)} ${set}`];
}

export async function inTransaction(client: pg.Client, statements: readonly string[]): Promise<void> {
  await client.query('BEGIN');
  try {
    for (const statement of statements) await client.query(statement);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** Databases with this name, or with this name and a number after it. */
export async function numberedDatabases(client: pg.Client, name: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database WHERE datname = $1
      OR (starts_with(datname, $1 || '_') AND substr(datname, length($1) + 2) ~ '^[0-9]+$') ORDER BY 1`,
    [name],
  );
  return rows.map((row) => row.name);
}

/** First drops what would prevent the drop of the database: its subscriptions and its logical replication slots. */
async function dropDatabase(place: Place, client: pg.Client, database: string): Promise<void> {
  const { rows } = await client.query<{ subscriptions: boolean; isInvalid: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM pg_subscription s WHERE s.subdbid = d.oid) AS subscriptions, datconnlimit = -2 AS "isInvalid"
      FROM pg_database d WHERE datname = $1`,
    [database],
  );
  const [found] = rows;
  if (!found) return;
  if (!found.isInvalid) await prepareDrop(place, client, database, found.subscriptions);
  await client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(database)}`);
}

/** A failed drop leaves an invalid database, for which the server accepts only another drop. */
async function prepareDrop(
  place: Place,
  client: pg.Client,
  database: string,
  hasSubscriptions: boolean,
): Promise<void> {
  await inTransaction(client, [
    `ALTER DATABASE ${pg.escapeIdentifier(database)} IS_TEMPLATE false`,
    `ALTER DATABASE ${pg.escapeIdentifier(database)} ALLOW_CONNECTIONS true`,
    ...(await loginTriggers(client, database, 'off')),
  ]);
  if (hasSubscriptions) await withClient(place, database, dropSubscriptions);
  await endSessions(client, [database]);
  await dropSlots(client, [database]);
}

/**
 * Tries to drop each database, although an earlier drop failed. Before a drop, the server forgets the database's unwritten pages and writes
 * those of all others. On a full disk the pages of the next new database make that fail until its own drop was tried, too.
 * @throws the first error, after trying all
 */
export async function dropDatabases(
  place: Place,
  client: pg.Client,
  databases: readonly string[],
): Promise<void> {
  const errors: unknown[] = [];
  for (const database of databases) {
    try {
      await dropDatabase(place, client, database);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** Ends all sessions on these databases except this one. Clients may reconnect at once. */
export const endSessions = (client: pg.Client, databases: readonly string[]) =>
  client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ANY($1) AND pid <> pg_backend_pid()',
    [databases],
  );

/** @returns the names of the slots that were dropped; a slot in use stays */
export async function dropSlots(client: pg.Client, databases: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT slot_name AS name, pg_drop_replication_slot(slot_name) FROM pg_replication_slots
      WHERE database = ANY($1) AND NOT active`,
    [databases],
  );
  return rows.map(({ name }) => name);
}

/** Leaves the slots on the publishers unchanged: the restored database may use them. */
async function dropSubscriptions(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT subname AS name FROM pg_subscription WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())',
  );
  await disableEventTriggers(client);
  for (const { name } of rows) {
    const subscription = `SUBSCRIPTION ${pg.escapeIdentifier(name)}`;
    await client.query(`ALTER ${subscription} DISABLE`);
    await client.query(`ALTER ${subscription} SET (slot_name = NONE)`);
    await client.query(`DROP ${subscription}`);
  }
}

/** An event trigger may refuse the drop of a subscription, and with it the drop of the database. */
async function disableEventTriggers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT evtname AS name FROM pg_event_trigger');
  for (const { name } of rows) await client.query(`ALTER EVENT TRIGGER ${pg.escapeIdentifier(name)} DISABLE`);
}
