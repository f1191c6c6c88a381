/**
 * Writes the exact values of FLOAT columns into the output of `mysqldump`, which prints them with 6 digits: the server itself rounds a
 * FLOAT like this when it sends it as text. A second transaction reads them as DOUBLE, in the order in which `mysqldump` reads the rows,
 * and every value must agree with the printed one.
 *
 * Both transactions must see the same rows. So the tables with FLOAT columns can't be written to from before the second transaction begins
 * until the first bytes of the dump arrive, which takes a fraction of a second.
 */
import { shortestFloat } from '../float-text.ts';
import { columnsOf, query, quotedName, systemSchemas, type ToolPlace } from './client.ts';
import { insert, type LinePiece } from './dump-lines.ts';
import { findValues } from './insert-values.ts';
import { SqlSession } from './sql-session.ts';

/** The time that the dump waits for transactions that have changed such a table. New transactions wait until the dump has the lock. */
const lockWaitSeconds = 3;
/** The program may wait for hours between two tables, or until more of its output is read. */
const sessionSettings = `SET SESSION sql_mode = '', SESSION wait_timeout = 604800, SESSION net_write_timeout = 86400,
  SESSION max_execution_time = 0, SESSION lock_wait_timeout = ${lockWaitSeconds};\n`;
const snapshot = `SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ;
START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY;\nSELECT 'begun';\n`;
/**
 * A larger statement is passed on unchanged. `mysqldump` writes one only for a single row of that size, and a program of the user's in its
 * place could write one without an end.
 */
const statementBytesMax = 64 * 1024 * 1024;
const endOfTable = 'longshore: end of table';
const useLine = /^USE (`(?:[^`]|``)+`);/s;
const insertLine = /^INSERT INTO (`(?:[^`]|``)+`) /s;

export class ExactFloats {
  readonly #tables: ReadonlyMap<string, FloatTable>;
  #lock: SqlSession | undefined;
  #reader: SqlSession | undefined;
  #database = '';
  /** The table whose values are being read. */
  #current: string | undefined;
  /** The statement that is being collected. */
  #statement: Buffer[] | undefined;
  #statementBytes = 0;
  readonly #rounded = new Set<string>();

  private constructor(tables: ReadonlyMap<string, FloatTable>) {
    this.#tables = tables;
  }

  /** Call it right before `mysqldump` starts. @throws EngineError */
  static async open(place: ToolPlace): Promise<ExactFloats> {
    const exact = new ExactFloats(await floatTables(place));
    const names = [...exact.#tables.values()]
      .filter(({ floats }) => floats.length > 0)
      .map(({ name }) => name);
    if (names.length === 0) return exact;
    exact.#lock = new SqlSession(place);
    exact.#reader = new SqlSession(place);
    const locks = names.map((name) => `${name} READ`).join(', ');
    exact.#lock.send(`${sessionSettings}LOCK TABLES ${locks};\nSELECT 'locked';\n`);
    exact.#reader.send(sessionSettings);
    // If the lock fails, the dump continues: the values are compared anyway.
    await exact.#lock.rows(1);
    exact.#reader.send(snapshot);
    await exact.#reader.rows(1);
    return exact;
  }

  /** Sentences about tables whose values are rounded, one for each. */
  get notKept(): string[] {
    return [...this.#rounded].map(
      (table) =>
        `FLOAT values of ${table} are rounded to 6 digits: the table changed while the backup began, or its order of rows is not fixed. Take another backup.`,
    );
  }

  /** `mysqldump` has begun its transaction, so the tables can change again. */
  dumpHasBegun(): void {
    void this.#lock?.close();
    this.#lock = undefined;
  }

  async close(): Promise<void> {
    await Promise.all([this.#lock?.close(), this.#reader?.close()]);
  }

  /** True if the piece is passed on unchanged. */
  isPlain({ head, place }: LinePiece): boolean {
    if (head === undefined) return this.#statement === undefined;
    if (place !== 'outside') return true;
    const [, database] = useLine.exec(head) ?? [];
    if (database !== undefined) this.#database = database;
    return !head.startsWith(insert) || this.#tableOf(head) === undefined;
  }

  /** Collects the pieces of a statement. @returns nothing, or the statement: with its last piece, or when it is too large for memory */
  async exact({ bytes, head, isLast }: LinePiece): Promise<Buffer> {
    if (head !== undefined || this.#statement === undefined)
      [this.#statement, this.#statementBytes] = [[], 0];
    this.#statement.push(bytes);
    this.#statementBytes += bytes.length;
    const isTooLarge = this.#statementBytes > statementBytesMax;
    if (!isLast && !isTooLarge) return Buffer.alloc(0);
    const statement = Buffer.concat(this.#statement);
    this.#statement = undefined;
    const table = this.#tableOf(statement.subarray(0, 1_024).toString('latin1'));
    if (table && isTooLarge) this.#rounded.add(table.name);
    return table && !isTooLarge ? await this.#replaced(statement, table) : statement;
  }

  #tableOf(head: string): FloatTable | undefined {
    const [, table] = insertLine.exec(head) ?? [];
    return this.#tables.get(Buffer.from(`${this.#database}.${table}`, 'latin1').toString('utf8'));
  }

  async #replaced(statement: Buffer, table: FloatTable): Promise<Buffer> {
    const { name, floats, columns, hasSignedZeros } = table;
    const wanted = new Set(floats.map(({ at }) => at));
    const found = findValues(statement, { columns, wanted, hasSignedZeros });
    const exact = found && floats.length > 0 ? await this.#read(table, found.rows) : [];
    if (found === undefined || exact === undefined) {
      this.#rounded.add(name);
      return statement;
    }
    const parts: Buffer[] = [];
    let done = 0;
    let next = 0;
    for (const { from, to, column } of found.values) {
      const printed = statement.toString('latin1', from, to);
      const value = wanted.has(column) ? exactText(printed, exact[next++]) : signedZero(printed);
      if (value === undefined) this.#rounded.add(name);
      if (value === undefined || value === printed) continue;
      parts.push(statement.subarray(done, from), Buffer.from(value));
      done = to;
    }
    parts.push(statement.subarray(done));
    return Buffer.concat(parts);
  }

  /** The values of the table's next rows, in one list; `undefined` if there are fewer rows. */
  async #read(table: FloatTable, rows: number): Promise<string[] | undefined> {
    if (this.#rounded.has(table.name)) return undefined;
    if (this.#current !== table.name) await this.#begin(table);
    const lines = await this.#reader?.rows(rows);
    if (lines?.length !== rows || lines.includes(endOfTable)) return undefined;
    return lines.flatMap((line) => line.split('\t'));
  }

  async #begin({ name, floats, all }: FloatTable): Promise<void> {
    if (this.#current !== undefined) await this.#skipRest();
    this.#current = name;
    const values = floats.map((float) => `CAST(${quotedName(float.name)} AS DOUBLE)`).join(', ');
    const reader = this.#reader;
    reader?.send(`EXPLAIN FORMAT=TRADITIONAL SELECT ${all.join(', ')} FROM ${name};\n`);
    const [plan = ''] = (await reader?.rows(1)) ?? [];
    const [, , , , , , key = 'NULL'] = columnsOf(Buffer.from(plan, 'latin1').toString('utf8'));
    // The rows must have the same order as in mysqldump, so they are read by the same index.
    const index = key === 'NULL' ? 'USE INDEX ()' : `FORCE INDEX (${quotedName(key)})`;
    reader?.send(`SELECT ${values} FROM ${name} ${index};\nSELECT '${endOfTable}';\n`);
  }

  async #skipRest(): Promise<void> {
    for (;;) {
      const [line] = (await this.#reader?.rows(1)) ?? [];
      if (line === undefined || line === endOfTable) return;
    }
  }
}

/** A value with 6 digits differs from the exact one by less than this fraction of it. */
const roundingMax = 5.1e-6;

/** @returns `undefined` if the exact value does not match the printed one */
function exactText(printed: string, exact: string | undefined): string | undefined {
  if (exact === undefined) return undefined;
  if (printed === 'NULL' || exact === 'NULL') return printed === exact ? printed : undefined;
  const value = Number(exact);
  if (!(Math.abs(Number(printed) - value) <= Math.abs(value) * roundingMax)) return undefined;
  return Object.is(value, -0) ? '-0e0' : shortestFloat(value);
}

/** MySQL reads `-0` as a whole number and `-0.00` as a decimal, which have no negative zero. */
const signedZero = (printed: string) => (/^-0+(?:\.0*)?$/.test(printed) ? `${printed}e0` : printed);

interface FloatTable {
  /** The SQL name. */
  name: string;
  /** The number of values in each row of the dump. */
  columns: number;
  /** Columns of type FLOAT, with their positions in a row, from 0. `mysqldump` prints 6 digits, and a float can need 9. */
  floats: { at: number; name: string }[];
  /** True if other columns can hold -0, which is printed as a whole number. */
  hasSignedZeros: boolean;
  /** SQL names of all columns in the dump. */
  all: string[];
}

/** `mysqldump` does not dump generated columns. */
const floatColumns = `SELECT c.table_schema, c.table_name, c.column_name, c.data_type, c.column_type
  FROM information_schema.columns c JOIN information_schema.tables t
  ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE'
  WHERE c.table_schema NOT IN ${systemSchemas} AND c.extra NOT REGEXP '(STORED|VIRTUAL) GENERATED'
  AND EXISTS (SELECT 1 FROM information_schema.columns f WHERE f.table_schema = c.table_schema
    AND f.table_name = c.table_name AND f.data_type IN ('float', 'double'))
  ORDER BY c.table_schema, c.table_name, c.ordinal_position`;

/**
 * Tables with FLOAT or DOUBLE columns, whose values `mysqldump` changes, by their SQL names. @throws EngineError
 */
async function floatTables(place: ToolPlace): Promise<Map<string, FloatTable>> {
  const tables = new Map<string, FloatTable>();
  for (const [schema = '', table = '', column = '', type = '', declared = ''] of await query(
    place,
    floatColumns,
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
