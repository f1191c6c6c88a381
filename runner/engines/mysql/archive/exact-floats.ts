/**
 * Writes the exact values of FLOAT columns into the output of `mysqldump`, which prints them with 6 digits: the server itself rounds a
 * FLOAT like this when it sends it as text. A second transaction reads them as DOUBLE, in the order in which `mysqldump` reads the rows,
 * and every value must agree with the printed one.
 *
 * Both transactions must see the same rows. So the tables with FLOAT columns can't be written to from before the second transaction begins
 * until the first bytes of the dump arrive, which takes a fraction of a second.
 */
import { shortestFloat } from '../float-text.ts';
import { columnsOf, quotedName, type ToolPlace } from './client.ts';
import { insert, type LinePiece } from './dump-lines.ts';
import { type FloatTable, floatTables } from './float-columns.ts';
import { findValues } from './insert-values.ts';
import { SqlSession } from './sql-session.ts';

/** How long the dump waits for transactions that have changed such a table. New transactions wait until the dump has the lock. */
const lockWaitSeconds = 3;
/** The program may wait for hours between two tables, or until more of its output is read. */
const sessionSettings = `SET SESSION sql_mode = '', SESSION wait_timeout = 604800, SESSION net_write_timeout = 86400,
  SESSION max_execution_time = 0, SESSION lock_wait_timeout = ${lockWaitSeconds};\n`;
const snapshot = `SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ;
START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY;\nSELECT 'begun';\n`;
/**
 * A larger statement passes as it is: `mysqldump` writes one only for a single row of that size, and a program of the user's in its place
 * could write one without an end.
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

  /** One sentence for each table whose values are rounded. */
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

  /** Whether the piece passes unchanged. */
  isPlain({ head, place }: LinePiece): boolean {
    if (head === undefined) return this.#statement === undefined;
    if (place !== 'outside') return true;
    const [, database] = useLine.exec(head) ?? [];
    if (database !== undefined) this.#database = database;
    return !head.startsWith(insert) || this.#tableOf(head) === undefined;
  }

  /** Collects the pieces of a statement. @returns nothing, or the statement: with its last piece, or when it is too large to be kept */
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

  /** The values of the table's next rows, in one list; undefined when there are fewer rows. */
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
    // The rows must come in the same order as in mysqldump, so this reads them by the same index.
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

/** @returns undefined when the exact value does not match the printed one */
function exactText(printed: string, exact: string | undefined): string | undefined {
  if (exact === undefined) return undefined;
  if (printed === 'NULL' || exact === 'NULL') return printed === exact ? printed : undefined;
  const value = Number(exact);
  if (!(Math.abs(Number(printed) - value) <= Math.abs(value) * roundingMax)) return undefined;
  return Object.is(value, -0) ? '-0e0' : shortestFloat(value);
}

/** MySQL reads `-0` as a whole number and `-0.00` as a decimal, which have no negative zero. */
const signedZero = (printed: string) => (/^-0+(?:\.0*)?$/.test(printed) ? `${printed}e0` : printed);
