/** Rows as a file. Every value is written as the API answers it, with all digits: numbers that a double can't hold are texts there. */
import { cellText } from '../values.ts';

interface ResultColumn {
  name: string;
  type: string;
}
type ResultRow = Readonly<Record<string, unknown>>;

export const formats = ['csv', 'spreadsheet', 'json'] as const;
/** `spreadsheet`: CSV in which no text is run as a formula. */
export type Format = (typeof formats)[number];

export interface Writer {
  type: string;
  ending: string;
  head(columns: readonly ResultColumn[]): string;
  /** @param isFirst whether no row was written yet */
  rows(columns: readonly ResultColumn[], rows: readonly ResultRow[], isFirst: boolean): string;
  foot: string;
}

/**
 * RFC 4180. NULL is an empty field, an empty text is `""`. Nothing else is changed, so that what reads the file gets the values themselves; only the
 * form for spreadsheets puts an apostrophe before texts that those would run (OWASP, CSV injection).
 */
const csv = (isSafe: boolean): Writer => {
  const field = (value: unknown): string => {
    if (value === null || value === undefined) return '';
    const exact = cellText(value);
    const text = isSafe && typeof value === 'string' && isFormula(exact) ? `'${exact}` : exact;
    return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const line = (values: readonly unknown[]) => `${values.map(field).join(',')}\r\n`;
  return {
    type: 'text/csv',
    ending: 'csv',
    head: (columns) => line(columns.map(({ name }) => name)),
    rows: (columns, rows) => rows.map((row) => line(columns.map(({ name }) => row[name]))).join(''),
    foot: '',
  };
};

/** A number that begins with a sign is one, and stays. */
const isFormula = (text: string) =>
  /^[=+\-@\t\r\n]/.test(text) && !/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text);

/** A column of JSON is written as the document that it holds: as text, so that it keeps its digits and what it says twice. */
const json: Writer = {
  type: 'application/json',
  ending: 'json',
  head: () => '[',
  rows: (columns, rows, isFirst) =>
    rows.map((row, at) => `${isFirst && at === 0 ? '' : ','}\n${rowJson(columns, row, 0)}`).join(''),
  foot: '\n]\n',
};

export const writers: Record<Format, Writer> = { csv: csv(false), spreadsheet: csv(true), json };

/** @param indent blanks for each depth; 0: on one line */
export function rowJson(columns: readonly ResultColumn[], row: ResultRow, indent: number): string {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const [open, between, close] =
    indent === 0 ? ['{', ', ', '}'] : [`{\n${' '.repeat(indent)}`, `,\n${' '.repeat(indent)}`, '\n}'];
  const members = Object.entries(row)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}: ${valueJson(types.get(name), value, indent)}`);
  return members.length === 0 ? '{}' : `${open}${members.join(between)}${close}`;
}

function valueJson(type: string | undefined, value: unknown, indent: number): string {
  if (typeof value === 'string' && /^jsonb?$/i.test(type ?? '') && isJson(value)) return value;
  return JSON.stringify(value, null, indent).replaceAll('\n', `\n${' '.repeat(indent)}`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** All at once. */
export function fileOf(format: Format, columns: readonly ResultColumn[], rows: readonly ResultRow[]): string {
  const writer = writers[format];
  return `${writer.head(columns)}${writer.rows(columns, rows, true)}${writer.foot}`;
}
