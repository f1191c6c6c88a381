/** The tables and columns that can be browsed, from the current catalog: https://dev.mysql.com/doc/refman/9.4/en/information-schema.html */
import { EngineError } from '../engine-error.ts';
import type { MysqlConnection } from './mysql-connection.ts';
import { type Relation, tableId } from './names.ts';

export interface Column {
  name: string;
  /** The declared type: `int unsigned`, `varchar(20)`. */
  type: string;
  /** `int`, `varchar` */
  dataType: string;
  primary: boolean;
  isGenerated: boolean;
  isAutoIncrement: boolean;
}

export interface Table extends Relation {
  columns: Column[];
  /** The columns of the primary key in its order; [] without one. */
  primaryKey: string[];
  /** Columns that are unique and never null: those of the primary key, otherwise of another unique index; [] if there are none. */
  order: string[];
}

interface RelationRow extends Omit<Relation, 'isView'> {
  type: string;
}

interface IndexPart {
  name: string;
  column: string | null;
  part: number | null;
  nullable: string;
}

const relationText = `SELECT TABLE_SCHEMA AS \`schema\`, TABLE_NAME AS name, TABLE_TYPE AS type,
  CAST(TABLE_ROWS AS DOUBLE) AS estimate
  FROM information_schema.TABLES
  WHERE TABLE_SCHEMA NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys')`;

/** Characters that no name can contain. The catalog can't even compare a name with one. */
const nameless = /[\0\u{10000}-\u{10ffff}]/u;

/** Tables and views of all databases that the user can see, except the server's own. */
export async function listRelations(connection: MysqlConnection): Promise<Relation[]> {
  const rows = await connection.select<RelationRow>(`${relationText} ORDER BY TABLE_SCHEMA, TABLE_NAME`, []);
  return rows.map(relationOf);
}

/** @throws EngineError `not_found` */
export async function findTable(connection: MysqlConnection, id: string): Promise<Table> {
  const relation = await findRelation(connection, id);
  if (!relation) throw EngineError.noTable(id);
  const place = [relation.schema, relation.name];
  const columns = await connection.select<Omit<Column, 'primary'> & { extra: string }>(columnsText, place);
  const keys = keysOf(await connection.select<IndexPart>(indexesText, place));
  const primaryKey = keys.find(({ name }) => name === 'PRIMARY')?.columns ?? [];
  return {
    ...relation,
    primaryKey,
    order: primaryKey.length > 0 ? primaryKey : (keys[0]?.columns ?? []),
    columns: columns.map(({ name, type, dataType, extra }) => ({
      name,
      type,
      dataType: dataType.toLowerCase(),
      primary: primaryKey.includes(name),
      isGenerated: /\b(STORED|VIRTUAL) GENERATED\b/i.test(extra),
      isAutoIncrement: /\bauto_increment\b/i.test(extra),
    })),
  };
}

async function findRelation(connection: MysqlConnection, id: string): Promise<Relation | undefined> {
  const [, schema = '', name = ''] = /^(`(?:[^`]|``)*`|[^`.]*)\.(.*)$/s.exec(id) ?? [];
  if (nameless.test(id)) return undefined;
  const bare = schema.startsWith('`') ? schema.slice(1, -1).replaceAll('``', '`') : schema;
  const text = `${relationText} AND TABLE_SCHEMA = ? AND TABLE_NAME = ?`;
  const found = (await connection.select<RelationRow>(text, [bare, name])).map(relationOf);
  // The catalog may ignore case when it compares; an id has only one spelling.
  return found.find((relation) => tableId(relation) === id);
}

const relationOf = ({ schema, name, type, estimate }: RelationRow): Relation => ({
  schema,
  name,
  isView: type !== 'BASE TABLE',
  estimate,
});

const columnsText = `SELECT COLUMN_NAME AS name, COLUMN_TYPE AS type, DATA_TYPE AS dataType, EXTRA AS extra
  FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION`;

const indexesText = `SELECT INDEX_NAME AS name, COLUMN_NAME AS \`column\`, SUB_PART AS part, NULLABLE AS nullable
  FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND NON_UNIQUE = 0
  ORDER BY INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX`;

/** Unique indexes of whole columns that are never null. An indexed expression has no column. */
function keysOf(parts: IndexPart[]): { name: string; columns: string[] }[] {
  const keys = Map.groupBy(parts, ({ name }) => name);
  return [...keys]
    .filter(([, of]) =>
      of.every(({ column, part, nullable }) => column !== null && part === null && nullable !== 'YES'),
    )
    .map(([name, of]) => ({ name, columns: of.map(({ column }) => column ?? '') }));
}
