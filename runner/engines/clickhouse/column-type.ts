/** A column's type as the server writes it, taken apart: `Tuple(x Int8, y Map(String, UInt64))`. */
export interface ColumnType {
  /** Before the parentheses: `Tuple`. */
  name: string;
  /** Between them: of types, `x Int8` and `y Map(String, UInt64)`; of others, such as `Decimal(20, 5)`, what they take. */
  parameters: string[];
}

export interface Element {
  /** Undefined for the elements of `Tuple(Int8, String)`. */
  name: string | undefined;
  type: string;
}

export function parsedType(text: string): ColumnType {
  const open = text.indexOf('(');
  if (open < 0) return { name: text, parameters: [] };
  return { name: text.slice(0, open), parameters: separated(text.slice(open + 1, -1)) };
}

/** Of `Tuple(x Int8, y Map(String, UInt64))`: x and y. */
export function elementsOf({ parameters }: ColumnType): Element[] {
  return parameters.map((parameter) => {
    const [, name, type] = /^(`(?:\\.|[^`\\])*`|\w+)\s+(.+)$/s.exec(parameter) ?? [];
    if (name === undefined || type === undefined) return { name: undefined, type: parameter };
    return { name: name.startsWith('`') ? name.slice(1, -1).replace(/\\(.)/gs, '$1') : name, type };
  });
}

/** At the commas that stand in no parentheses and in no quotes. */
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
