/** Frees the space of databases that will be dropped. */
import type { DataPlace } from '../../archive/archive.ts';
import { withClient } from './with-client.ts';

/** The largest tables, which have nearly all of the data. */
const tablesMax = 100;

/**
 * Drops the largest tables, which gives their space back at once. The drop of a database first writes a checkpoint, and a checkpoint that
 * finds the disk full ends the server. What can't be dropped stays.
 */
export async function emptyDatabase(
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
