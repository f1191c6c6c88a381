/** The rows of an explorer: a line each, or a stack trace, with the fields of JSON as text. */
import { jsonOf } from '../../../protocol/logs/lines/json-line.ts';
import { continuesEntry, entryLinesMax } from '../../../protocol/logs/lines/log-entry.ts';
import type { KeptLine } from '../../api/follow-kept.ts';
import { logSearchText } from '../../text/log-search-text.ts';
import type { Line } from '../line.ts';

export interface ExplorerRow extends Line {
  /** The parts of `line`: the replica, the message, fields of JSON, and how many more lines there are. */
  parts: { replica: string; message: string; fields: string; more: string };
  of: KeptLine;
  /** Further lines of a stack trace. */
  more: readonly KeptLine[];
}

/** Lines that were left out have this id of a service. */
export const gapServiceId = '';

const keyOf = ({ serviceId, id }: KeptLine) => `${serviceId} ${id}`;

/**
 * @param keepMax above this number the oldest lines are dropped
 * @returns all lines in the order of their times, without duplicates. Known lines keep their identity
 */
export function withLines(
  known: readonly KeptLine[],
  more: readonly KeptLine[],
  keepMax = Number.POSITIVE_INFINITY,
): KeptLine[] {
  const isAfter = (more[0]?.id ?? 0) > (known.at(-1)?.id ?? 0);
  let all: KeptLine[];
  if (isAfter) all = [...known, ...more];
  else {
    const keys = new Set(known.map(keyOf));
    all = [...known, ...more.filter((line) => !keys.has(keyOf(line)))].sort(
      (one, other) => one.id - other.id,
    );
  }
  return all.length > keepMax ? all.slice(all.length - Math.floor(0.9 * keepMax)) : all;
}

/** A row in place of lines that a stream left out. */
export const gapBefore = (next: KeptLine, text: string): KeptLine => ({
  ...{ id: next.id - 0.5, serviceId: gapServiceId, deploymentId: null, level: null },
  ...{ stream: 'system', line: text, createdAt: next.createdAt },
});

/** Whether a line continues the one before it: neither changes, and rows are made again with each new line. */
const continuing = new WeakMap<KeptLine, boolean>();
const known = new WeakMap<KeptLine, ExplorerRow>();

export function rowsOf(lines: readonly KeptLine[]): ExplorerRow[] {
  const rows: { head: KeptLine; more: KeptLine[] }[] = [];
  const last = new Map<string, { head: KeptLine; more: KeptLine[] }>();
  for (const line of lines) {
    const source = `${line.serviceId} ${line.replica ?? ''}`;
    const open = last.get(source);
    const isOpen = open !== undefined && rows.at(-1) === open && open.more.length < entryLinesMax;
    if (isOpen && continues(line, open.more.at(-1) ?? open.head)) open.more.push(line);
    else {
      const row = { head: line, more: [] };
      rows.push(row);
      last.set(source, row);
    }
  }
  return rows.map(({ head, more }) => rowOf(head, more));
}

function continues(line: KeptLine, before: KeptLine): boolean {
  const is = continuing.get(line) ?? (line.stream !== 'system' && continuesEntry(line.line, before.line));
  continuing.set(line, is);
  return is;
}

function rowOf(head: KeptLine, more: readonly KeptLine[]): ExplorerRow {
  const row = known.get(head);
  if (row && row.more.length === more.length) return row;
  const { message, rest } = partsOf(head.line);
  const parts = {
    replica: head.replica === undefined ? '' : `${logSearchText.replica(head.replica)} `,
    ...{ message, fields: rest },
    more: more.length === 0 ? '' : ` ${logSearchText.moreOf(more.length)}`,
  };
  const line = parts.replica + message + rest + parts.more;
  const made = { ...head, line, parts, of: head, more };
  known.set(head, made);
  return made;
}

const messageFields = ['msg', 'message', '@m', '@mt', 'event'];
/** The row shows these in other places. */
const shownFields = new Set([
  ...messageFields,
  ...[
    'level',
    'severity',
    'lvl',
    'levelname',
    'log.level',
    '@l',
    'time',
    'timestamp',
    'ts',
    '@timestamp',
    '@t',
  ],
]);

function partsOf(line: string): { message: string; rest: string } {
  const json = line.includes('{') ? jsonOf(line) : undefined;
  if (!json) return { message: line, rest: '' };
  const message = messageFields.map((name) => json[name]).find((value) => typeof value === 'string');
  const fields = fieldsOf(json).filter(({ path }) => !shownFields.has(path));
  const rest = fields.map(({ path, value }) => `${path}=${value}`).join(' ');
  if (typeof message !== 'string') return { message: '', rest };
  return { message: message.replaceAll('\n', ' '), rest: rest === '' ? '' : `  ${rest}` };
}

export interface LineField {
  path: string;
  value: string;
}

/** Most fields of a line that are shown. */
const fieldsMax = 200;

/** The fields of a JSON object, those of nested ones with dots in their names. */
export function fieldsOf(json: Readonly<Record<string, unknown>>, before = ''): LineField[] {
  return Object.entries(json)
    .flatMap(([name, value]) => {
      const path = before + name;
      if (typeof value === 'object' && value !== null && !Array.isArray(value) && path.length < 200)
        return fieldsOf(value as Record<string, unknown>, `${path}.`);
      return [{ path, value: typeof value === 'object' ? JSON.stringify(value) : String(value) }];
    })
    .slice(0, fieldsMax);
}

/** The term of a search that finds this value. */
export function termOf({ path, value }: LineField): string {
  const isPlain = /^[^\s"*<>]+$/.test(value) && !value.startsWith('//');
  return `${path}:${isPlain ? value : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').slice(0, 200)}"`}`;
}
