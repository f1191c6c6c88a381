/** Colours of a log line (ECMA-48 «select graphic rendition», the only escape sequences that logs keep) as spans with classes. */

export interface Span {
  text: string;
  /** Classes of styles/log.css, separated by spaces; empty for plain text. */
  classes: string;
}

interface Style {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  /** 0 to 15; undefined: the default colour. */
  colour: number | undefined;
}

const plain: Style = { bold: false, dim: false, italic: false, underline: false, colour: undefined };
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence begins with ESC
const sequence = /\u001b\[([0-9;:]*)m/g;

/** The text without its colours. */
export const withoutColours = (line: string): string => line.replace(sequence, '');

/** @returns the parts of a line, in order */
export function spansOf(line: string): Span[] {
  if (!line.includes('\u001b')) return [{ text: line, classes: '' }];
  const spans: Span[] = [];
  let style = plain;
  let at = 0;
  for (const match of line.matchAll(sequence)) {
    if (match.index > at) spans.push({ text: line.slice(at, match.index), classes: classesOf(style) });
    style = changed(style, match[1] ?? '');
    at = match.index + match[0].length;
  }
  if (at < line.length) spans.push({ text: line.slice(at), classes: classesOf(style) });
  return spans;
}

function changed(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number);
  let next = style;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      // Of 256 colours, the first 16 are the named ones; others are shown in the default colour.
      const isIndexed = codes[at + 1] === 5;
      const index = codes[at + 2] ?? 16;
      if (code === 38) next = { ...next, colour: isIndexed && index < 16 ? index : undefined };
      at += isIndexed ? 2 : 4;
    } else next = withCode(next, code);
  }
  return next;
}

function withCode(style: Style, code: number): Style {
  if (code === 0) return plain;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 23) return { ...style, italic: false };
  if (code === 24) return { ...style, underline: false };
  if (code >= 30 && code <= 37) return { ...style, colour: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, colour: code - 90 + 8 };
  if (code === 39) return { ...style, colour: undefined };
  return style;
}

function classesOf({ bold, dim, italic, underline, colour }: Style): string {
  const flags = { bold, dim, italic, underline };
  const names = Object.entries(flags).flatMap(([name, isSet]) => (isSet ? [`ansi-${name}`] : []));
  return [...names, ...(colour === undefined ? [] : [`ansi-${colour}`])].join(' ');
}
