/** A parsed column type, which the server writes as `Tuple(x Int8, y Map(String, UInt64))`. */
export interface ColumnType {
  /** The part before the parentheses: `Tuple`. */
  name: string;
  /** The parts in the parentheses: for the type above, `x Int8` and `y Map(String, UInt64)`; for `Decimal(20, 5)`, its arguments. */
  parameters: string[];
}

export interface Element {
  /** `undefined` for the elements of `Tuple(Int8, String)`. */
  name: string | undefined;
  /** The name in the server's syntax. */
  quotedName: string | undefined;
  type: string;
}

/** Splits a type into its name and its parameters, which stay text. */
export function parsedType(text: string): ColumnType {
  const open = text.indexOf('(');
  if (open < 0) return { name: text, parameters: [] };
  return { name: text.slice(0, open), parameters: separated(text.slice(open + 1, -1)) };
}

/** The elements of `Tuple(x Int8, y Map(String, UInt64))`: x and y. */
export function elementsOf({ parameters }: ColumnType): Element[] {
  return parameters.map((parameter) => {
    const [, quotedName, type] = /^(`(?:\\.|[^`\\])*`|\w+)\s+(.+)$/s.exec(parameter) ?? [];
    if (quotedName === undefined || type === undefined)
      return { name: undefined, quotedName: undefined, type: parameter };
    const isQuoted = quotedName.startsWith('`');
    const name = isQuoted ? quotedName.slice(1, -1).replace(/\\(.)/gs, '$1') : quotedName;
    return { name, quotedName, type };
  });
}

/** Splits at the commas outside of parentheses and quotes. */
function separated(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const [token] of text.matchAll(/`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\])*'|[^`'(),]+|[(),]/gs)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts.map((part) => part.trim());
}
