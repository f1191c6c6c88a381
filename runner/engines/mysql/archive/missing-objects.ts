/**
 * Leaves out privileges on tables, columns and routines that no longer exist. MySQL keeps them, but such a GRANT fails on every other
 * server. https://dev.mysql.com/doc/refman/9.4/en/drop-table.html
 */
import { quotedName } from './client.ts';

/** SQL names of missing tables, columns and routines in privileges. */
export type MissingObjects = ReadonlySet<string>;

/** Names in the grant tables and in the catalog have different collations. */
const same = (one: string, other: string, collation: string) =>
  `CONVERT(${one} USING utf8mb4) COLLATE ${collation} = CONVERT(${other} USING utf8mb4) COLLATE ${collation}`;

const tables = `SELECT DISTINCT 'TABLE', p.db, p.table_name, '' FROM mysql.tables_priv p
  LEFT JOIN information_schema.tables o
  ON ${same('p.db', 'o.table_schema', 'utf8mb4_bin')} AND ${same('p.table_name', 'o.table_name', 'utf8mb4_bin')}
  WHERE o.table_name IS NULL`;
const columns = `SELECT DISTINCT 'COLUMN', p.db, p.table_name, p.column_name FROM mysql.columns_priv p
  LEFT JOIN information_schema.columns o
  ON ${same('p.db', 'o.table_schema', 'utf8mb4_bin')} AND ${same('p.table_name', 'o.table_name', 'utf8mb4_bin')}
  AND ${same('p.column_name', 'o.column_name', 'utf8mb4_0900_as_ci')}
  WHERE o.column_name IS NULL`;
const routines = `SELECT DISTINCT p.routine_type, p.db, p.routine_name, '' FROM mysql.procs_priv p
  LEFT JOIN information_schema.routines o
  ON ${same('p.db', 'o.routine_schema', 'utf8mb4_bin')} AND ${same('p.routine_name', 'o.routine_name', 'utf8mb4_0900_ai_ci')}
  AND p.routine_type = o.routine_type
  WHERE p.routine_type IN ('PROCEDURE', 'FUNCTION') AND o.routine_name IS NULL`;

/** The query whose rows `missingObjectsOf` reads. */
export const missingObjectsQuery = `${tables} UNION ALL ${columns} UNION ALL ${routines}`;

/** @param rows of `missingObjectsQuery` */
export const missingObjectsOf = (rows: string[][]): MissingObjects =>
  new Set(rows.map(([kind = '', db = '', name = '', column = '']) => keyOf(kind, db, name, column)));

const keyOf = (kind: string, db: string, name: string, column = '') =>
  [kind, ...[db, name, column].map(quotedName)].join(' ');

const name = '`(?:[^`]|``)*`';
const grantOn = new RegExp(`^GRANT (.+?) ON (?:(PROCEDURE|FUNCTION) )?(${name})\\.(${name}) TO (.+)$`, 's');
/** A privilege with its columns: SELECT (`a`, `b`) */
const privilege = new RegExp(`([A-Z][A-Z ]*[A-Z])(?: \\(((?:${name}(?:, )?)+)\\))?(?:, |$)`, 'gy');

/**
 * @param statement a line of SHOW GRANTS
 * @returns the statement without privileges on missing objects, or undefined if none remain; and sentences about the privileges that were
 *   left out
 */
export function existingPrivileges(
  statement: string,
  missing: MissingObjects,
): { statement: string | undefined; skipped: string[] } {
  const [, list = '', kind = 'TABLE', database = '', object = '', rest = ''] = grantOn.exec(statement) ?? [];
  if (list === '') return { statement, skipped: [] };
  const on = `${kind === 'TABLE' ? '' : `${kind} `}${database}.${object}`;
  const isMissing = (what: string, column = '``') => missing.has([what, database, object, column].join(' '));
  // A privilege on a missing table can be granted only together with CREATE.
  if (isMissing(kind) && !/\b(?:CREATE|ALL PRIVILEGES)\b/.test(list))
    return {
      statement: undefined,
      skipped: [`A privilege of ${rest} is left out: ${on} no longer exists.`],
    };
  const skipped: string[] = [];
  const kept = [...list.matchAll(privilege)].flatMap(([, word = '', of]) => {
    if (of === undefined) return [word];
    const named = of.match(new RegExp(name, 'g')) ?? [];
    const columns = named.filter((column) => !isMissing('COLUMN', column));
    for (const column of named)
      if (!columns.includes(column))
        skipped.push(
          `The privilege ${word} of ${rest} on a column is left out: ${on} has no column ${column}.`,
        );
    return columns.length > 0 ? [`${word} (${columns.join(', ')})`] : [];
  });
  if (skipped.length === 0) return { statement, skipped };
  const left = kept.length > 0 ? `GRANT ${kept.join(', ')} ON ${on} TO ${rest}` : undefined;
  return { statement: left, skipped };
}

/** The SQL name of the table or view in a line of SHOW GRANTS. */
export function grantedTable(statement: string): string | undefined {
  const [, , kind, database, object] = grantOn.exec(statement) ?? [];
  return kind === undefined && database !== undefined ? `${database}.${object}` : undefined;
}
