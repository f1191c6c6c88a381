/**
 * Foreign keys and enums of a SQL database, read from its catalog by statements: so a value leads to its row, and an enum has choices. They need the
 * right to run statements; without it, or if the catalog can't be read, the page has neither.
 */
import type { Column, Engine, Row, Table } from '../table-types.ts';

/** A foreign key: the columns of a row that name a row of another table. */
export interface ForeignKey {
  schema: string;
  table: string;
  columns: readonly string[];
  targetSchema: string;
  targetTable: string;
  targetColumns: readonly string[];
}

export interface Relations {
  foreignKeys: readonly ForeignKey[];
  /** The labels of an enum by the name of the type, as the columns show it. */
  enums: ReadonlyMap<string, readonly string[]>;
}

export const noRelations: Relations = { foreignKeys: [], enums: new Map() };

/** Names of several columns are sent as JSON: an answer has no lists. */
const postgresKeys = `select n.nspname as "schema", c.relname as "table", tn.nspname as target_schema, t.relname as target_table,
  (select json_agg(a.attname order by k.at)::text from unnest(f.conkey) with ordinality as k(id, at)
    join pg_catalog.pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.id) as columns,
  (select json_agg(a.attname order by k.at)::text from unnest(f.confkey) with ordinality as k(id, at)
    join pg_catalog.pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.id) as target_columns
from pg_catalog.pg_constraint f
join pg_catalog.pg_class c on c.oid = f.conrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_class t on t.oid = f.confrelid join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
where f.contype = 'f' and f.conparentid = 0 order by 1, 2, f.conname`;

const postgresEnums = `select pg_catalog.format_type(t.oid, null) as name, json_agg(e.enumlabel order by e.enumsortorder)::text as labels
from pg_catalog.pg_enum e join pg_catalog.pg_type t on t.oid = e.enumtypid group by t.oid`;

const mysqlKeys = `select table_schema as \`schema\`, table_name as \`table\`, referenced_table_schema as target_schema, referenced_table_name as target_table,
  cast(json_arrayagg(column_name) as char) as columns, cast(json_arrayagg(referenced_column_name) as char) as target_columns
from (select * from information_schema.key_column_usage where referenced_table_name is not null
  order by table_schema, table_name, constraint_name, ordinal_position) k
group by constraint_schema, constraint_name, table_schema, table_name, referenced_table_schema, referenced_table_name order by 1, 2`;

/** In MySQL and ClickHouse the type of a column has its labels; ClickHouse has no foreign keys. */
export const relationStatements: Partial<Record<Engine, { keys: string; enums?: string }>> = {
  postgres: { keys: postgresKeys, enums: postgresEnums },
  timescale: { keys: postgresKeys, enums: postgresEnums },
  mysql: { keys: mysqlKeys },
};

/** Rows of the catalog as relations; rows in another form are left out. */
export function relationsOf(keys: readonly Row[], enums: readonly Row[]): Relations {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    foreignKeys: keys
      .map((row) => ({
        schema: text(row.schema),
        table: text(row.table),
        columns: namesOf(row.columns),
        targetSchema: text(row.target_schema),
        targetTable: text(row.target_table),
        targetColumns: namesOf(row.target_columns),
      }))
      .filter(({ columns, targetColumns }) => columns.length > 0 && columns.length === targetColumns.length),
    enums: new Map(enums.map(({ name, labels }) => [text(name), namesOf(labels)])),
  };
}

function namesOf(value: unknown): string[] {
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    return Array.isArray(parsed) ? parsed.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** The columns of a table, with the choices of those that are enums. */
export const withChoices = (columns: readonly Column[], { enums }: Relations): readonly Column[] =>
  columns.map((column) => {
    const choices = enums.get(column.type);
    return choices === undefined ? column : { ...column, choices };
  });

/** The foreign key of a column; undefined: none. The one with the fewest columns, if several have it. */
export const keyOfColumn = (
  { foreignKeys }: Relations,
  { schema, name }: Table,
  column: string,
): ForeignKey | undefined =>
  foreignKeys
    .filter((key) => key.schema === schema && key.table === name && key.columns.includes(column))
    .toSorted((a, b) => a.columns.length - b.columns.length)[0];

/**
 * The address of the row that a foreign key names.
 * @returns undefined if a column is NULL, or the table is not in the list
 */
export function addressOfTarget(
  serviceId: string,
  key: ForeignKey,
  row: Row,
  tables: readonly Table[],
): string | undefined {
  const target = tables.find(({ schema, name }) => schema === key.targetSchema && name === key.targetTable);
  const values = key.columns.map((column) => row[column]);
  if (target === undefined || values.some((value) => value === null || value === undefined)) return undefined;
  const filters = key.targetColumns.map((column, index) => ({
    column,
    condition: 'is',
    value: String(values[index]),
  }));
  const query = new URLSearchParams({ table: target.id, filters: JSON.stringify(filters) });
  return `/services/${serviceId}/data?${query}`;
}
