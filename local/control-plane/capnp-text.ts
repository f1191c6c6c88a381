/** Values as Cap'n Proto text (https://capnproto.org/language.html). */

/** Text that is written without quotes. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Cap'n Proto text of a value: structs in parentheses, lists in brackets, text escaped as in C, bytes outside ASCII in octal. */
export function text(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(text).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `(${Object.entries(value)
    .map(([name, member]) => `${name} = ${text(member)}`)
    .join(', ')})`;
}

function quoted(value: string): string {
  const escaped = [...Buffer.from(value)].map((byte) => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
    if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte);
    return `\\${byte.toString(8).padStart(3, '0')}`;
  });
  return `"${escaped.join('')}"`;
}
