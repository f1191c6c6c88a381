/** Tables that fit into the window. */
import { stripVTControlCharacters } from 'node:util';

/** The least width for wrapped text: narrower columns are hard to read as sentences. */
const lastColumnMin = 24;

/** Width of the terminal. Without a terminal there is no limit, because lines of files and pipes may have any length. */
const windowColumns = () =>
  process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : Number.POSITIVE_INFINITY;

const widthOf = (cell: string) => stripVTControlCharacters(cell).length;

/**
 * Columns of equal width, two spaces apart; the last column is not padded. In a window that is too narrow the last column is wrapped, or each
 * row becomes a paragraph.
 * @param empty what is printed when there are no rows
 */
export function table(head: string[], rows: string[][], empty: string, columns = windowColumns()): string {
  if (rows.length === 0) return empty;
  const all = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...all.map((row) => widthOf(row[at] ?? ''))));
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  const line = (row: string[]) =>
    row
      .map((cell, at) => cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell))))
      .join('  ')
      .trimEnd();
  const room = columns - before;
  if ((widths.at(-1) ?? 0) <= room) return all.map(line).join('\n');
  if (room < lastColumnMin) return rows.map((row) => paragraph(head, row)).join('\n');
  return all
    .flatMap((row) => {
      const [first = '', ...more] = wrapped(row.at(-1) ?? '', room);
      return [line([...row.slice(0, -1), first]), ...more.map((words) => ' '.repeat(before) + words)];
    })
    .join('\n');
}

/** The first cell, and below it the other cells with their headings. */
function paragraph([, ...heads]: string[], [first = '', ...cells]: string[]): string {
  const width = Math.max(...heads.map((head) => head.length));
  const lines = cells.flatMap((cell, at) =>
    cell === '' ? [] : [`  ${(heads[at] ?? '').padEnd(width)}  ${cell}`.trimEnd()],
  );
  return [first, ...lines].join('\n');
}

/** Lines of whole words. A longer word, such as a URL, is not split, so that it can be copied. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || widthOf(last) + 1 + widthOf(word) > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
