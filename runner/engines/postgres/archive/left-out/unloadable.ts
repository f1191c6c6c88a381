/** Finds objects in a dump that a restore refuses or changes: `pg_restore` recreates every object and checks every row. */
import type pg from 'pg';
import { listed } from './listed.ts';

/** The time limit for checking all rows of a database. */
const limitMs = 60_000;

interface Check {
  name: string;
  /** Finds a row that breaks the constraint. */
  query: string;
}

/** @param client connected to `database` @returns sentences */
export async function findUnloadable(client: pg.Client, database: string): Promise<string[]> {
  const found: string[] = [];
  for (const [query, sentence] of searches) {
    const names = await namesIn(client, query);
    if (names.length > 0) found.push(sentence(listed(names), database));
  }
  return [...found, ...(await brokenRows(client, database))];
}

const searches: readonly (readonly [query: string, (names: string, database: string) => string])[] = [
  [
    // `pg_dump` leaves out the names of functions in pg_catalog, and then the server looks for an extension of the language's name.
    `SELECT lanname AS name FROM pg_language l JOIN pg_proc p ON p.oid = l.lanplcallfoid
      WHERE l.oid >= 16384 AND p.pronamespace = 'pg_catalog'::regnamespace AND NOT EXISTS (SELECT 1 FROM pg_depend d
        WHERE d.classid = 'pg_language'::regclass AND d.objid = l.oid AND d.deptype = 'e') ORDER BY 1`,
    (names, database) =>
      `A restore of this backup fails: pg_dump does not write the handlers of these languages of the database ${database}, because they are in pg_catalog: ${names}. Create the languages again with functions in another schema.`,
  ],
  [
    // A dump does not know which tables a function reads when its body is text, so it can't order them.
    `SELECT DISTINCT format('%I on %s', c.conname, c.conrelid::regclass) AS name FROM pg_constraint c
      JOIN pg_depend d ON d.classid = 'pg_constraint'::regclass AND d.objid = c.oid AND d.refclassid = 'pg_proc'::regclass
      JOIN pg_proc p ON p.oid = d.refobjid
      WHERE c.contype = 'c' AND c.convalidated AND c.conrelid <> 0 AND p.oid >= 16384 AND p.prosrc ~* '\\m(from|execute)\\M' ORDER BY 1`,
    (names, database) =>
      `A restore of this backup may fail: in the database ${database}, functions of CHECK constraints read tables, which may still be empty when the rows are loaded: ${names}. Make them NOT VALID or triggers; a drill shows whether the backup can be loaded.`,
  ],
  [
    // `pg_dump` identifies such a trigger by a number that another server does not have.
    `SELECT DISTINCT t.tgrelid::regclass::text AS name FROM pg_trigger t JOIN pg_trigger parent ON parent.oid = t.tgparentid
      WHERE t.tgisinternal AND t.tgenabled <> parent.tgenabled ORDER BY 1`,
    (names, database) =>
      `A restore of this backup fails: in the database ${database}, the triggers of foreign keys are disabled for these partitions only: ${names}. Enable them with ALTER TABLE ... ENABLE TRIGGER ALL.`,
  ],
  [
    `SELECT DISTINCT tgrelid::regclass::text AS name FROM pg_trigger
      WHERE tgisinternal AND tgconstraint <> 0 AND tgenabled <> 'O' AND tgparentid = 0 ORDER BY 1`,
    (names, database) =>
      `The foreign keys of the tables ${names} in the database ${database} are disabled by ALTER TABLE ... DISABLE TRIGGER: a restore enables them.`,
  ],
  [
    `SELECT indexrelid::regclass::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
      WHERE (NOT indisvalid AND c.relkind <> 'p') OR NOT indisready ORDER BY 1`,
    (names, database) =>
      `The indexes ${names} in the database ${database}, which are not valid: drop them, or repair them with REINDEX.`,
  ],
  [
    `SELECT c.oid::regclass::text AS name FROM pg_class c WHERE relkind = 'm' AND relispopulated AND NOT EXISTS
      (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e') ORDER BY 1`,
    (names, database) =>
      `The rows of materialized views in the database ${database}: a restore refreshes these views instead: ${names}.`,
  ],
];

/** Partitions have the constraints of their parents. A constraint that is not valid is restored without a check. */
const foreignKeys = `SELECT format('%I on %s', c.conname, c.conrelid::regclass) AS name,
    format('SELECT 1 FROM %s f WHERE %s AND NOT EXISTS (SELECT 1 FROM %s p WHERE %s) LIMIT 1', c.conrelid::regclass,
      string_agg(format('f.%I IS NOT NULL', f.attname), ' AND '), c.confrelid::regclass,
      string_agg(format('p.%I = f.%I', p.attname, f.attname), ' AND ')) AS query
  FROM pg_constraint c CROSS JOIN LATERAL unnest(c.conkey, c.confkey) AS k(f, p)
  JOIN pg_attribute f ON f.attrelid = c.conrelid AND f.attnum = k.f JOIN pg_attribute p ON p.attrelid = c.confrelid AND p.attnum = k.p
  WHERE c.contype = 'f' AND c.convalidated AND c.conparentid = 0 GROUP BY c.oid ORDER BY 1`;

/** Accepted rows can break a CHECK only if a function in it was changed. */
const checks = `SELECT format('%I on %s', c.conname, c.conrelid::regclass) AS name,
    format('SELECT 1 FROM ONLY %s WHERE NOT (%s) LIMIT 1', c.conrelid::regclass, pg_get_expr(c.conbin, c.conrelid)) AS query
  FROM pg_constraint c WHERE c.contype = 'c' AND c.convalidated AND c.conrelid <> 0 AND EXISTS (SELECT 1 FROM pg_depend d
    WHERE d.classid = 'pg_constraint'::regclass AND d.objid = c.oid AND d.refclassid = 'pg_proc'::regclass AND d.refobjid >= 16384) ORDER BY 1`;

/** While triggers are disabled, rows that break a foreign key can be written without a record of it. */
async function brokenRows(client: pg.Client, database: string): Promise<string[]> {
  const deadline = Date.now() + limitMs;
  const [broken, unknown]: [string[], string[]] = [[], []];
  const all = [...(await client.query<Check>(foreignKeys)).rows, ...(await client.query<Check>(checks)).rows];
  for (const { name, query } of all) {
    const left = deadline - Date.now();
    const isBroken = left > 0 ? await finds(client, query, left) : undefined;
    if (isBroken === undefined) unknown.push(name);
    else if (isBroken) broken.push(name);
  }
  return [
    ...(broken.length > 0
      ? [
          `A restore of this backup fails: rows in the database ${database} break the constraints ${listed(broken)}. Correct the rows, or make the constraints NOT VALID, and back up again.`,
        ]
      : []),
    ...(unknown.length > 0
      ? [
          `It is not known whether rows in the database ${database} break the constraints ${listed(unknown)}: checking them failed or took too long. A drill shows whether the backup can be loaded.`,
        ]
      : []),
  ];
}

/** @returns `undefined` if it could not be determined */
async function finds(client: pg.Client, query: string, timeoutMs: number): Promise<boolean | undefined> {
  await client.query('BEGIN READ ONLY');
  try {
    await client.query(`SET LOCAL statement_timeout = ${Math.max(1, timeoutMs)}`);
    await client.query(`SET LOCAL lock_timeout = '5s'`);
    return (await client.query(query)).rows.length > 0;
  } catch (error) {
    // The server's own errors have a code: it ended the statement, or the function in the constraint failed.
    if (error instanceof Error && 'code' in error && 'severity' in error) return undefined;
    throw error;
  } finally {
    await client.query('ROLLBACK').catch(() => {});
  }
}

async function namesIn(client: pg.Client, query: string): Promise<string[]> {
  return (await client.query<{ name: string }>(query)).rows.map(({ name }) => name);
}
