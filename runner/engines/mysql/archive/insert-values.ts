/** Finds numbers in the INSERT statements of `mysqldump`. */

const code = { quote: 39, open: 40, close: 41, comma: 44, minus: 45, backslash: 92, backtick: 96 };

/** A value in the bytes of a statement. */
export interface FoundValue {
  from: number;
  to: number;
  /** The value's position in the row, from 0. */
  column: number;
}

/**
 * @param wanted the positions whose values are returned
 * @param hasSignedZeros also returns values at other positions that begin with `-`
 * @returns the values in order, and the number of rows; `undefined` if a row does not have `columns` values
 */
export function findValues(
  statement: Buffer,
  {
    columns,
    wanted,
    hasSignedZeros,
  }: { columns: number; wanted: ReadonlySet<number>; hasSignedZeros: boolean },
): { values: FoundValue[]; rows: number } | undefined {
  const values: FoundValue[] = [];
  let rows = 0;
  let at = rowsBegin(statement);
  while (statement[at] === code.open) {
    let column = 0;
    for (let from = at + 1; ; column++) {
      const to = valueEnd(statement, from);
      if (to < 0) return undefined;
      if (wanted.has(column) || (hasSignedZeros && statement[from] === code.minus))
        values.push({ from, to, column });
      from = to + 1;
      at = from;
      if (statement[to] === code.close) break;
    }
    if (column + 1 !== columns) return undefined;
    rows++;
    if (statement[at] === code.comma) at++;
  }
  return { values, rows };
}

/** The index after `INSERT INTO name (columns) VALUES `; the list of columns is optional. */
function rowsBegin(statement: Buffer): number {
  let isQuoted = false;
  let isList = false;
  for (let at = 0; at < statement.length; at++) {
    const byte = statement[at];
    if (byte === code.backtick) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (byte === code.open && statement[at + 1] === code.backtick) isList = true;
    else if (byte === code.close && isList) isList = false;
    else if (byte === code.open && !isList) return at;
  }
  return statement.length;
}

/** The index of the comma or the parenthesis after a value, or -1. */
function valueEnd(statement: Buffer, from: number): number {
  for (let at = from; at < statement.length; at++) {
    const byte = statement[at];
    if (byte === code.comma || byte === code.close) return at;
    if (byte !== code.quote) continue;
    // A doubled quote is read as the end of one string and the start of another.
    for (at++; at < statement.length && statement[at] !== code.quote; at++)
      if (statement[at] === code.backslash) at++;
  }
  return -1;
}
