/** Writes a database as SQL statements that D1 takes: at most 100 KB each, parents before children, triggers last. */
import type { DatabaseSync } from 'node:sqlite';
import { quoted } from './rebuild.ts';
import type { Manifest } from './read-dump.ts';

/** D1 allows 100,000 bytes (developers.cloudflare.com/d1/platform/limits); the rest is for the words around a piece. */
const statementBytes = 90_000;
const pieceCharacters = 20_000;

/** The statements, in order, without their `;`. */
export function* sqlStatements({ schema }: Manifest, database: DatabaseSync): Generator<string> {
  yield 'PRAGMA defer_foreign_keys = true';
  for (const { sql } of schema.filter(({ type }) => type === 'table')) yield sql;
  for (const table of parentsFirst(database, schema)) yield* insertsOf(database, table);
  for (const { sql } of schema.filter(({ type }) => type === 'index')) yield sql;
  for (const { sql } of schema.filter(({ type }) => type === 'trigger')) yield sql;
}

function parentsFirst(database: DatabaseSync, schema: Manifest['schema']): string[] {
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

function* insertsOf(database: DatabaseSync, table: string): Generator<string> {
  const rows = database.prepare(`SELECT rowid AS "rowid", * FROM ${quoted(table)} ORDER BY rowid`);
  let [head, values, bytes] = ['', [] as string[], 0];
  const take = () => {
    const statement = `${head}${values.join(',')}`;
    [values, bytes] = [[], 0];
    return statement;
  };
  for (const { rowid, ...row } of rows.iterate()) {
    // The rowid keeps the order of rows that were written in the same millisecond.
    head ||= `INSERT INTO ${quoted(table)} (${['rowid', ...Object.keys(row)].map(quoted).join(',')}) VALUES `;
    const text = `(${[rowid, ...Object.values(row)].map((value) => literal(short(value))).join(',')})`;
    const size = Buffer.byteLength(text);
    if (values.length > 0 && bytes + size > statementBytes) yield take();
    values.push(text);
    bytes += size + 1;
    for (const [column, value] of Object.entries(row)) {
      const rest = restOf(value);
      if (rest.length > 0 && values.length > 0) yield take();
      for (const piece of rest) {
        const name = quoted(column);
        yield `UPDATE ${quoted(table)} SET ${name} = ${name} || ${literal(piece)} WHERE rowid = ${literal(rowid)}`;
      }
    }
  }
  if (values.length > 0) yield take();
}

const short = (value: unknown) =>
  typeof value === 'string' && value.length > pieceCharacters ? value.slice(0, safeCut(value, pieceCharacters)) : value;

/** The pieces of a long text behind its first one. */
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

/** Not between the halves of a surrogate pair. */
function safeCut(text: string, at: number): number {
  const isLow = at < text.length && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isLow ? at - 1 : at;
}

/** Line breaks and NUL are written as calls, because tools split files by lines. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  const parts = String(value).split(/([\r\n\0])/);
  const texts = parts.flatMap((part, index) => {
    if (index % 2 === 1) return [`char(${part.charCodeAt(0)})`];
    return part === '' && parts.length > 1 ? [] : [`'${part.replaceAll("'", "''")}'`];
  });
  return texts.length === 1 ? (texts[0] ?? "''") : `(${texts.join('||')})`;
}
