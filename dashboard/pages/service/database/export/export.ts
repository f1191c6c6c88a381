/** Writes rows to a file. Every value is written as the API returns it, with all digits: numbers that a double can't hold are texts. */
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
  /** @param isFirst whether these are the first rows */
  rows(columns: readonly ResultColumn[], rows: readonly ResultRow[], isFirst: boolean): string;
  foot: string;
}

/**
 * RFC 4180. NULL is an empty field, an empty text is `""`. Other values are not changed, so that readers get the exact values. Only the
 * format for spreadsheets puts an apostrophe before texts that a spreadsheet would run (OWASP, CSV injection).
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

/** A number with a sign is not a formula and is not changed. */
const isFormula = (text: string) =>
  /^[=+\-@\t\r\n]/.test(text) && !/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text);

/** A column of JSON is written as its document, in text form, so that it keeps its digits and duplicate names. */
const json: Writer = {
  type: 'application/json',
  ending: 'json',
  head: () => '[',
  rows: (columns, rows, isFirst) =>
    rows.map((row, at) => `${isFirst && at === 0 ? '' : ','}\n${rowJson(columns, row, 0)}`).join(''),
  foot: '\n]\n',
};

export const writers: Record<Format, Writer> = { csv: csv(false), spreadsheet: csv(true), json };

/** @param indent spaces per level; 0: on one line */
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

/** The whole file at once. */
export function fileOf(format: Format, columns: readonly ResultColumn[], rows: readonly ResultRow[]): string {
  const writer = writers[format];
  return `${writer.head(columns)}${writer.rows(columns, rows, true)}${writer.foot}`;
}
