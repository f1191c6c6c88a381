/** The columns whose values `mysqldump` changes. */
import { query, quotedName, systemSchemas, type ToolPlace } from './client.ts';

export interface FloatTable {
  /** The SQL name. */
  name: string;
  /** The number of values in each row of the dump. */
  columns: number;
  /** Columns of type FLOAT, with their positions in a row, from 0. `mysqldump` prints 6 digits, and a float can need 9. */
  floats: { at: number; name: string }[];
  /** Whether there are other columns that can hold -0, which is printed as a whole number. */
  hasSignedZeros: boolean;
  /** SQL names of all columns in the dump. */
  all: string[];
}

/** `mysqldump` does not dump generated columns. */
const columns = `SELECT c.table_schema, c.table_name, c.column_name, c.data_type, c.column_type
  FROM information_schema.columns c JOIN information_schema.tables t
  ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE'
  WHERE c.table_schema NOT IN ${systemSchemas} AND c.extra NOT REGEXP '(STORED|VIRTUAL) GENERATED'
  AND EXISTS (SELECT 1 FROM information_schema.columns f WHERE f.table_schema = c.table_schema
    AND f.table_name = c.table_name AND f.data_type IN ('float', 'double'))
  ORDER BY c.table_schema, c.table_name, c.ordinal_position`;

/** Tables with FLOAT or DOUBLE columns, by their SQL names. @throws EngineError */
export async function floatTables(place: ToolPlace): Promise<Map<string, FloatTable>> {
  const tables = new Map<string, FloatTable>();
  for (const [schema = '', table = '', column = '', type = '', declared = ''] of await query(
    place,
    columns,
  )) {
    const name = `${quotedName(schema)}.${quotedName(table)}`;
    const known = tables.get(name) ?? { name, columns: 0, floats: [], hasSignedZeros: false, all: [] };
    tables.set(name, known);
    // FLOAT(7,4) is printed with all its 4 decimals.
    if (type === 'float' && !declared.includes(',')) known.floats.push({ at: known.columns, name: column });
    else if (type === 'float' || type === 'double') known.hasSignedZeros = true;
    known.columns++;
    known.all.push(quotedName(column));
  }
  return tables;
}
