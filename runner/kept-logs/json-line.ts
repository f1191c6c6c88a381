/** Lines that are a JSON object, as programs really print it. */

/** Colours, spaces and a byte order mark around it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const around = /^(?:\u001b\[[0-9;:]*m|\s|\ufeff)+|(?:\u001b\[[0-9;:]*m|\s)+$/g;
/** JSON has no control characters in its strings. Loggers that write it without a library leave tabs and colours in messages. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it names them
const control = /[\u0000-\u001f]/g;

/** Without what is around it, the text of a line that is, or should be, a JSON object. @returns undefined for every other line */
export function jsonTextOf(line: string): string | undefined {
  const text = line.startsWith('{') || /^\w/.test(line) ? line : line.replace(around, '');
  return text.startsWith('{') ? text : undefined;
}

/** The line as a JSON object. @returns undefined if it is none */
export function jsonOf(line: string): Record<string, unknown> | undefined {
  const text = jsonTextOf(line);
  if (text === undefined) return undefined;
  return (
    parsed(text) ??
    (text.search(control) < 0 ? undefined : parsed(text.replace(around, '').replace(control, ' ')))
  );
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
