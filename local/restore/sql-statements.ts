/** Writes a database as SQL statements that D1 accepts: at most 100 KB each, parents before children, triggers last. */
import type { DatabaseSync } from 'node:sqlite';
import type { Manifest } from './read-dump.ts';
import { quoted } from './rebuild.ts';

/** D1 allows 100,000 bytes (developers.cloudflare.com/d1/platform/limits); the rest is for the SQL around a piece. */
const statementBytes = 90_000;
const pieceCharacters = 8_000;

/** The statements, in order, without their `;`. */
export function* sqlStatements({ schema }: Manifest, database: DatabaseSync): Generator<string> {
  yield 'PRAGMA defer_foreign_keys = true';
  for (const { sql } of schema.filter(({ type }) => type === 'table')) yield sql;
  for (const table of parentsFirst(database, schema)) yield* insertsOf(database, table);
  for (const { sql } of schema.filter(({ type }) => type === 'index')) yield sql;
  for (const { sql } of schema.filter(({ type }) => type === 'trigger')) yield sql;
}

export function parentsFirst(database: DatabaseSync, schema: Manifest['schema']): string[] {
  const order = new Set<string>();
  const add = (table: string, above: readonly string[]) => {
    if (order.has(table) || above.includes(table)) return;
    const keys = database.prepare(`SELECT "table" AS parent FROM pragma_foreign_key_list(?)`).all(table);
    for (const { parent } of keys) add(String(parent), [...above, table]);
    order.add(table);
  };
  for (const { type, name } of schema) if (type === 'table') add(name, []);
  return [...order];
}

/** Rows of a table as INSERTs. Without `where`, all rows with their rowids, which keep the order of rows of the same millisecond. */
export function* insertsOf(
  database: DatabaseSync,
  table: string,
  { verb = 'INSERT', where }: { verb?: string; where?: string } = {},
): Generator<string> {
  const rows = database.prepare(
    `SELECT rowid AS "rowid", * FROM ${quoted(table)} WHERE ${where ?? 'true'} ORDER BY rowid`,
  );
  let [head, values, bytes] = ['', [] as string[], 0];
  const take = () => {
    const statement = `${head}${values.join(',')}`;
    [values, bytes] = [[], 0];
    return statement;
  };
  for (const { rowid, ...row } of rows.iterate()) {
    // A database with other rows may already use the rowid.
    const own = where === undefined ? { rowid, ...row } : row;
    head ||= `${verb} INTO ${quoted(table)} (${Object.keys(own).map(quoted).join(',')}) VALUES `;
    // Long texts follow in pieces. The id finds their row again, because rowids differ there.
    const text = `(${Object.values(own)
      .map((value) => literal(short(value)))
      .join(',')})`;
    const size = Buffer.byteLength(text);
    if (values.length > 0 && bytes + size > statementBytes) yield take();
    values.push(text);
    bytes += size + 1;
    for (const [column, value] of Object.entries(row)) {
      const rest = restOf(value);
      if (rest.length > 0 && values.length > 0) yield take();
      const found = where === undefined ? `rowid = ${literal(rowid)}` : `id = ${literal(row.id)}`;
      let before = String(short(value));
      for (const piece of rest) {
        const name = quoted(column);
        // A row that existed before is complete, and longer.
        const isPart = `length(${name}) = ${characters(before)}`;
        yield `UPDATE ${quoted(table)} SET ${name} = ${name} || ${literal(piece)} WHERE ${found} AND ${isPart}`;
        before += piece;
      }
    }
  }
  if (values.length > 0) yield take();
}

const short = (value: unknown) =>
  typeof value === 'string' && value.length > pieceCharacters
    ? value.slice(0, safeCut(value, pieceCharacters))
    : value;

/** Characters as SQLite counts them: up to the first NUL. */
const characters = (text: string) => [...(text.split('\0', 1)[0] ?? '')].length;

/** The pieces of a long text after the first one. */
function restOf(value: unknown): string[] {
  const pieces: string[] = [];
  if (typeof value !== 'string') return pieces;
  for (let at = safeCut(value, pieceCharacters); at < value.length; ) {
    const end = safeCut(value, at + pieceCharacters);
    pieces.push(value.slice(at, end));
    at = end;
  }
  return pieces;
}

/** Avoids a cut between the halves of a surrogate pair. */
function safeCut(text: string, at: number): number {
  const isLow = at < text.length && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isLow ? at - 1 : at;
}

/** Texts that could confuse a splitter of statements or lines are written as bytes. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  const text = String(value);
  if (/[;\r\n\0]/.test(text)) return `CAST(X'${Buffer.from(text).toString('hex')}' AS TEXT)`;
  return `'${text.replaceAll("'", "''")}'`;
}
