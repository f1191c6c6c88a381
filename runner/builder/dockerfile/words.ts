/** Cuts the rest of an instruction into flags, words and names with values, as BuildKit's parser does. */
import { unreadable } from './refusal.ts';

/** The separators of words: BuildKit's own list, without other Unicode white space. */
export const spaces = /[\t\v\f\r ]+/;

/** White space according to Go's `unicode.IsSpace`, which differs from `\s` here. BuildKit splits the pairs of ENV and LABEL at it. */
const isGap = (character: string) =>
  /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/.test(character);

/** White space and control characters that some versions read as a separator and others as part of a name. */
export const oddSpaces =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
  /[\u0000-\u0008\u000e-\u001f\u007f-\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f\u3000\ufeff]/;

/** A value may have any printable ASCII character except quotes and both escape characters: every version reads it the same way. */
const plainFlag = /^--([a-z][a-z-]*)(?:=([!#-&(-[\]-_a-~]*))?$/;

export interface Flag {
  name: string;
  /** undefined if the flag has no `=`. */
  value: string | undefined;
}

/** Splits the flags from the start of an instruction. @throws JobFailure for flags that can't be read the same way everywhere */
export function splitFlags(text: string, line: number): { flags: Flag[]; rest: string } {
  const flags: Flag[] = [];
  let rest = text.trim();
  while (rest.startsWith('--')) {
    const { word, length } = flagWord(rest);
    const [, name, value] = plainFlag.exec(word) ?? [];
    if (name === undefined)
      throw unreadable(line, `the flag "${word}" cannot be read; write it as --name=value, without quotes.`);
    flags.push({ name, value });
    rest = rest.slice(length).trimStart();
  }
  return { flags, rest };
}

/** Reads one word without its quotes. Here the escape character is always the backslash. */
function flagWord(text: string): { word: string; length: number } {
  let word = '';
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote === '' && /[\t\v\f\r ]/.test(character)) return { word, length: at };
    if (character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) quote = character;
    else word += character;
  }
  return { word, length: text.length };
}

/** Words with their quotes: `A="x y" B=2` has two. */
function quotedWords(text: string, escapeToken: string): string[] {
  const words: string[] = [];
  let word = '';
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote === '' && isGap(character)) {
      if (word !== '') words.push(word);
      word = '';
      continue;
    }
    if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = '';
    else if (character === escapeToken && quote !== "'") {
      word += character;
      at += 1;
    }
    word += text.charAt(at);
  }
  if (word !== '') words.push(word);
  return words;
}

/** `ENV name value` and `ENV name=value ...`; `null` for a name without a value. */
export function namesWithValues(text: string, escapeToken: string): [name: string, value: string | null][] {
  const words = quotedWords(text, escapeToken);
  if (words[0] !== undefined && !words[0].includes('=')) {
    const gap = spaces.exec(text);
    if (gap) return [[text.slice(0, gap.index), text.slice(gap.index + gap[0].length)]];
  }
  return words.map(nameWithValue);
}

/** `ARG name`, `ARG name=value`, also several in one line. */
export const namesMaybeWithValues = (text: string, escapeToken: string) =>
  quotedWords(text, escapeToken).map(nameWithValue);

function nameWithValue(word: string): [string, string | null] {
  const at = word.indexOf('=');
  return at < 0 ? [word, null] : [word.slice(0, at), word.slice(at + 1)];
}

/** The JSON form of a list of strings; undefined for anything else. */
export function jsonWords(text: string): string[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((one) => typeof one === 'string') ? list : undefined;
  } catch {
    return undefined;
  }
}
