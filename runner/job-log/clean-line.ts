/**
 * Makes a line of program output safe to show: tabs and colours (SGR) stay, all other control characters are removed, and those that show
 * text in another order than it was written (https://www.unicode.org/reports/tr9/, explicit directional formatting).
 */

const escapeSequences = new RegExp(
  [
    '\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)?', // OSC: titles, hyperlinks
    '\\u001b[PX^_][^\\u001b]*(?:\\u001b\\\\)?', // DCS, SOS, PM, APC
    '\\u001b\\[[0-9;:]*m', // SGR, kept below
    '\\u001b\\[[0-?]*[ -/]*[@-~]?', // other CSI: cursor, erase
    '\\u001b[ -/]*[0-~]?', // two-character sequences
    '[\\u0000-\\u0008\\u000a-\\u001a\\u001c-\\u001f\\u007f-\\u009f]',
    '[\\u202a-\\u202e\\u2066-\\u2069]', // embeddings, overrides and isolates
    '\\ufeff', // byte order mark
  ].join('|'),
  'g',
);
const isColour = (sequence: string) => sequence[1] === '[' && /^[0-9;:]*m$/.test(sequence.slice(2));

/** Removes ECMA-48 control functions. Text overwritten by carriage returns (progress bars) keeps its last state. */
export function cleanLine(text: string): string {
  return text
    .slice(lastStateAt(text))
    .replace(escapeSequences, (sequence) => (isColour(sequence) ? sequence : ''));
}

/** The start of the last state of text overwritten by carriage returns; 0 without any. Carriage returns at the end overwrite nothing yet. */
export function lastStateAt(text: string): number {
  let end = text.length;
  while (text[end - 1] === '\r') end -= 1;
  return end === 0 ? 0 : text.lastIndexOf('\r', end - 1) + 1;
}
