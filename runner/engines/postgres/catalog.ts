/** The tables and columns that can be browsed, from the current catalog: https://www.postgresql.org/docs/17/catalogs.html */
import pg from 'pg';
import { EngineError } from '../engine-error.ts';

export interface Relation {
  oid: number;
  schema: string;
  name: string;
  /** relkind: `r` table, `p` partitioned table, `m` materialized view, `v` view, `f` foreign table. */
  kind: 'r' | 'p' | 'm' | 'v' | 'f';
  /** The rows at the last ANALYZE, of the table and all tables that inherit from it; `null` if never analysed. */
  estimate: number | null;
}

export interface Column {
  name: string;
  type: string;
  /** The type of the values: the base type of a domain. */
  valueType: string;
  primary: boolean;
  /** The way to convert JSON values to this column's text. */
  shape: 'plain' | 'json' | 'array' | 'json array';
  /** Only the server sets its values: `GENERATED ALWAYS`. */
  isGenerated: boolean;
}

export interface Table extends Relation {
  columns: Column[];
  /** The columns of the primary key in its order; [] without one. */
  primaryKey: string[];
  /** Columns that are unique and never null: those of the primary key, otherwise of another unique index; [] if there are none. */
  order: string[];
}

/** The user's own relations: without those of the system, the views of extensions, and those that this role may not read. */
const visible = `c.relkind IN ('r', 'p', 'm', 'v', 'f')
  AND n.nspname !~ '^(pg_|_timescaledb)' AND n.nspname <> 'information_schema'
  AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
  AND NOT (c.relkind = 'v' AND EXISTS (
    SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'))`;

const relation = `c.oid, n.nspname AS schema, c.relname AS name, c.relkind AS kind`;
const relations = 'pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace';

/** Partitions, chunks of a hypertable and children by INHERITS are all listed in pg_inherits. */
const withEstimates = (wanted: string) => `
  WITH RECURSIVE wanted AS (${wanted}),
  tree (root, part) AS (
    SELECT oid, oid FROM wanted
    UNION ALL SELECT tree.root, i.inhrelid FROM tree JOIN pg_inherits i ON i.inhparent = tree.part),
  estimates AS (
    SELECT root, CASE WHEN bool_or(c.reltuples < 0) THEN NULL ELSE round(sum(c.reltuples::float8)) END AS estimate
    FROM tree JOIN pg_class c ON c.oid = tree.part WHERE c.relkind IN ('r', 'm', 'f') GROUP BY root)
  SELECT wanted.*, estimates.estimate FROM wanted LEFT JOIN estimates ON root = oid`;

const listText = `${withEstimates(`SELECT ${relation} FROM ${relations} WHERE ${visible}`)} ORDER BY schema, name`;

const columnsText = `(
  SELECT coalesce(json_agg(json_build_object(
    'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
    'valueType', format_type(base.oid, CASE WHEN t.typbasetype = 0 THEN a.atttypmod ELSE t.typtypmod END),
    'isGenerated', a.attgenerated <> '' OR a.attidentity = 'a',
    'shape', CASE
      WHEN base.oid IN ('json'::regtype, 'jsonb'::regtype) THEN 'json'
      WHEN base.typoutput = 'array_out'::regproc THEN
        CASE WHEN base.typelem IN ('json'::regtype, 'jsonb'::regtype) THEN 'json array' ELSE 'array' END
      ELSE 'plain' END) ORDER BY a.attnum), '[]')
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    JOIN pg_type base ON base.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
  WHERE a.attrelid = described.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns`;

/** The primary key, otherwise the narrowest unique index of whole columns that are never null. */
const keyText = `(
  SELECT json_build_object('isPrimary', i.indisprimary, 'columns', k.names)
  FROM pg_index i CROSS JOIN LATERAL (
    SELECT json_agg(a.attname ORDER BY place) AS names, bool_and(a.attnotnull) AS never_null
    FROM unnest(i.indkey) WITH ORDINALITY AS u (attnum, place)
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = u.attnum
    WHERE place <= i.indnkeyatts) k
  WHERE i.indrelid = described.oid AND i.indisvalid AND (i.indisprimary OR
    (i.indisunique AND i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL AND k.never_null))
  ORDER BY i.indisprimary DESC, i.indnkeyatts, i.indexrelid LIMIT 1) AS key`;

const tableText = `
  WITH described AS (${withEstimates(`SELECT ${relation} FROM ${relations} WHERE ${visible} AND n.nspname = $1 AND c.relname = $2`)})
  SELECT *, ${columnsText}, ${keyText} FROM described`;

/** A schema name with a dot or a quote is quoted, so that no two tables share an id. */
export const tableId = ({ schema, name }: Pick<Relation, 'schema' | 'name'>) =>
  `${/["'.]/.test(schema) ? pg.escapeIdentifier(schema) : schema}.${name}`;

export const sqlName = ({ schema, name }: Pick<Relation, 'schema' | 'name'>) =>
  `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;

export async function listRelations(client: pg.Client): Promise<Relation[]> {
  return (await client.query<Relation>(listText)).rows;
}

/** @throws EngineError `not_found` */
export async function findTable(client: pg.Client, id: string): Promise<Table> {
  const named = /^("(?:[^"]|"")*"|[^.]*)\.(.*)$/s.exec(id);
  const [, schema = '', name = ''] = named && !id.includes('\0') ? named : [];
  const { rows } = await client.query({
    // Planned once per connection: planning takes longer than running the query.
    name: 'longshore-table',
    text: tableText,
    values: [schema.startsWith('"') ? schema.slice(1, -1).replaceAll('""', '"') : schema, name],
  });
  const [found] = rows;
  if (!found) throw EngineError.noTable(id);
  const { key, columns, ...rest } = found;
  const primaryKey: string[] = key?.isPrimary ? key.columns : [];
  return {
    ...rest,
    primaryKey,
    order: key?.columns ?? [],
    columns: columns.map((column: Column) => ({ ...column, primary: primaryKey.includes(column.name) })),
  };
}
