/** The completions at the cursor in a statement: tables, columns of the statement's tables, keywords. */
import type { Table } from '../table-types.ts';
import { quotedName } from './quoted-name.ts';
import { wordsOf } from './words.ts';

interface Completion {
  /** The inserted text. */
  text: string;
  name: string;
  kind: 'table' | 'column' | 'word';
  /** Shown next to it: the schema of a table, or the type of a column. */
  detail: string;
}

interface Completions {
  /** The text from here to the cursor is replaced. */
  from: number;
  found: readonly Completion[];
}

export interface Catalogue {
  engine: string;
  tables: readonly Table[];
  /** Undefined: not read yet. */
  columns(table: Table): readonly { name: string; type: string }[] | undefined;
}

/** Users find more by typing. */
const shownMax = 8;
/** With fewer letters, a list would disturb more than help. */
const typedMin = 2;

const name = '(?:"(?:[^"]|"")*"|`(?:[^`]|``)*`|[\\p{L}_$][\\p{L}\\p{N}_$]*)';
const path = `${name}(?:\\s*\\.\\s*${name})?`;
const used = new RegExp(
  `(?:\\b(?:from|join|into|update|table|describe|desc)|,)\\s+(${path})(?:\\s+(?:as\\s+)?(${name}))?`,
  'giu',
);
const typedPath = new RegExp(`(?:(${name})\\.)?([\\p{L}_$][\\p{L}\\p{N}_$]*)?$`, 'u');
const afterTable =
  /\b(?:from|join|into|update|table|describe|desc|truncate)\s+(?:if\s+(?:not\s+)?exists\s+)?(?:only\s+)?$/i;
const notAlias =
  /^(?:where|on|join|left|right|inner|outer|cross|full|group|order|limit|set|values|using|as|select|union|having|natural|final|prewhere)$/i;

/** @param isWanted true: the user asked for completions; false: offer them only after enough letters, and not for a complete word */
export function completeStatement(
  catalogue: Catalogue,
  statement: string,
  cursor: number,
  isWanted: boolean,
): Completions | undefined {
  const before = statement.slice(0, cursor);
  const isSql = !['redis', 'mongodb'].includes(catalogue.engine);
  if (isSql && isInText(before)) return undefined;
  const [, owner, typed = ''] = (isSql ? typedPath : /()([\w$:.*-]*)$/).exec(before) ?? [];
  if (!isWanted && !owner && typed.length < typedMin) return undefined;
  const all = isSql ? ofSql(catalogue, statement, before, { owner, typed }) : ofCommand(catalogue);
  const wanted = typed.toLowerCase();
  if (!isWanted && all.some((one) => one.name.toLowerCase() === wanted)) return undefined;
  const found = ranked(all, wanted);
  return found.length > 0 ? { from: cursor - typed.length, found } : undefined;
}

/** The tables in the statement, by their names or aliases in it. */
export function namedTables(tables: readonly Table[], statement: string): Map<string, Table> {
  const named = new Map<string, Table>();
  for (const [, written = '', alias] of statement.matchAll(used)) {
    const parts = written.split(/\s*\.\s*(?=(?:[^"`]|"[^"]*"|`[^`]*`)*$)/).map(bare);
    const [schema, own] = parts.length > 1 ? parts : [undefined, parts[0]];
    const table = tables.find(
      (one) => same(one.name, own) && (schema === undefined || same(one.schema, schema)),
    );
    if (!table) continue;
    named.set(table.name.toLowerCase(), table);
    if (alias && !notAlias.test(alias)) named.set(bare(alias).toLowerCase(), table);
  }
  return named;
}

const same = (one: string, other: string | undefined) => one.toLowerCase() === other?.toLowerCase();
const bare = (written: string) =>
  written
    .replace(/^["`]|["`]$/g, '')
    .replace(/""/g, '"')
    .replace(/``/g, '`');

/** Whether the position is inside a text, a quoted name or a comment. */
function isInText(before: string): boolean {
  const whole = /'(?:[^'\\]|''|\\.)*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|--[^\n]*(?=\n)|\/\*[\s\S]*?\*\//g;
  return /['"`]|--|\/\*/.test(before.replace(whole, ' '));
}

function ofSql(
  catalogue: Catalogue,
  statement: string,
  before: string,
  { owner, typed }: { owner: string | undefined; typed: string },
): Completion[] {
  const { engine, tables } = catalogue;
  const named = namedTables(tables, statement);
  const columnsOf = (table: Table) => columns(catalogue, table);
  if (owner !== undefined) {
    const table = named.get(bare(owner).toLowerCase()) ?? tables.find((one) => same(one.name, bare(owner)));
    const inSchema = tables.filter(({ schema }) => same(schema, bare(owner)));
    return [...(table ? columnsOf(table) : []), ...inSchema.map((one) => tableCompletion(engine, one, true))];
  }
  const start = before.slice(0, before.length - typed.length);
  const hasSchemas = new Set(tables.map(({ schema }) => schema)).size > 1;
  const shownTables = tables.map((table) =>
    tableCompletion(engine, table, !hasSchemas || ['public', 'app'].includes(table.schema)),
  );
  if (afterTable.test(start)) return shownTables;
  const known = [...new Set(named.values())].flatMap(columnsOf);
  return [...distinct(known), ...shownTables, ...words(engine)];
}

/** Commands of Redis and MongoDB: words, then keys or collections, then fields. */
function ofCommand(catalogue: Catalogue): Completion[] {
  const isDocuments = catalogue.engine === 'mongodb';
  const names = catalogue.tables.map((table) => ({
    ...{ text: table.name, name: table.name, detail: table.schema },
    kind: 'table' as const,
  }));
  const fields = isDocuments ? catalogue.tables.flatMap((table) => columns(catalogue, table)) : [];
  return [...words(catalogue.engine), ...names, ...distinct(fields)];
}

const words = (engine: string): Completion[] =>
  wordsOf(engine).map((word) => ({ text: word, name: word, kind: 'word', detail: '' }));

const tableCompletion = (engine: string, table: Table, isPlain: boolean): Completion => ({
  text: `${isPlain ? '' : `${quotedName(engine, table.schema)}.`}${quotedName(engine, table.name)}`,
  ...{ name: table.name, kind: 'table', detail: table.schema },
});

const columns = ({ engine, columns: read }: Catalogue, table: Table): Completion[] =>
  (read(table) ?? []).map((column) => ({
    text: engine === 'mongodb' ? column.name : quotedName(engine, column.name),
    ...{ name: column.name, kind: 'column', detail: column.type },
  }));

const distinct = (all: readonly Completion[]) =>
  all.filter(({ name: one }, at) => all.findIndex((other) => other.name === one) === at);

/** Completions that begin with the typed text come first; among equals the order stays: columns, tables, keywords. */
function ranked(all: readonly Completion[], wanted: string): Completion[] {
  const fits = all.filter((one) => one.name.toLowerCase().includes(wanted));
  const begins = (one: Completion) => Number(one.name.toLowerCase().startsWith(wanted));
  return fits.sort((one, other) => begins(other) - begins(one)).slice(0, shownMax);
}
