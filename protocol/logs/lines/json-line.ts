/** Parses lines that are a JSON object, in the forms that programs really print. */

/** Colours, spaces and a byte order mark before the JSON. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const before = /^(?:\u001b\[[0-9;:]*m|\s)+/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const colours = /\u001b\[[0-9;:]*m/g;
/** JSON has no control characters in its strings. Loggers that write it without a library leave tabs and colours in messages. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it names them
const control = /[\u0000-\u001f]/g;

/** The text of a line that is, or should be, a JSON object, without the characters before it. @returns `undefined` for every other line */
export function jsonTextOf(line: string): string | undefined {
  const text = line.startsWith('{') ? line : line.replace(before, '');
  return text.startsWith('{') ? text : undefined;
}

/** The line as a JSON object. @returns `undefined` if it is not one */
export function jsonOf(line: string): Record<string, unknown> | undefined {
  const text = jsonTextOf(line);
  if (text === undefined) return undefined;
  const json = parsed(text);
  if (json || text.search(control) < 0) return json;
  return parsed(text.replace(colours, '').replace(control, ' '));
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
