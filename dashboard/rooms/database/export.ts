/** A result as a file. */
import { cellText } from './values.ts';

interface Result {
  columns: readonly { name: string }[];
  rows: readonly Record<string, unknown>[];
}

/** RFC 4180. NULL is an empty field, an empty text is `""`. */
export function csvOf({ columns, rows }: Result): string {
  const field = (value: unknown): string => {
    if (value === null || value === undefined) return '';
    const text = cellText(value);
    return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [
    columns.map(({ name }) => field(name)),
    ...rows.map((row) => columns.map(({ name }) => field(row[name]))),
  ];
  return lines.map((fields) => `${fields.join(',')}\r\n`).join('');
}

export const jsonOf = ({ rows }: Result): string => `${JSON.stringify(rows, null, 2)}\n`;
