import type pg from 'pg';
import type { Contents } from '../../archive/archive.ts';

/** Counts every table that holds rows itself: partitions and chunks but not their parents, and no tables of extensions. */
export async function countAll(client: pg.Client): Promise<Contents> {
  const { rows: tables } = await client.query<{ name: string }>(`
    SELECT format('%I.%I', n.nspname, c.relname) AS name
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
      AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
    ORDER BY 1`);
  let sum = 0;
  for (const { name } of tables) {
    const { rows } = await client.query<{ count: string }>(`SELECT count(*) AS count FROM ONLY ${name}`);
    sum += Number(rows[0]?.count ?? 0);
  }
  return { tables: tables.length, rows: sum };
}
