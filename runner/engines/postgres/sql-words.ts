/** Splits SQL text into words, as far as needed to recognize a statement: https://www.postgresql.org/docs/17/sql-syntax-lexical.html */
import pg from 'pg';

export interface SqlWord {
  /** Keywords and unquoted names in upper case, quoted names unchanged, strings without their quotes, other characters one by one. */
  text: string;
  kind: 'word' | 'name' | 'string' | 'symbol';
  /** The number of parentheses around the word. */
  depth: number;
}

/** Sticky patterns, tried in this order: comments and blanks, dollar quotes, strings, quoted names, words, anything else. */
const blank = /(?:\s+|--[^\n]*)+/y;
const dollar = /\$([\p{L}_][\p{L}\p{N}_]*)?\$/uy;
const escapeString = /[eE]'((?:[^'\\]|\\.|'')*)'/sy;
const string = /(?:[uU]&|[bBxXnN])?'((?:[^']|'')*)'/sy;
/** Includes a `U&` prefix. */
const quotedName = /([uU]&)?"((?:[^"]|"")*)"/sy;
const word = /[\p{L}_][\p{L}\p{N}_$]*/uy;

export function sqlWords(text: string): SqlWord[] {
  const words: SqlWord[] = [];
  let at = 0;
  let depth = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at += found[0].length;
    return found ?? undefined;
  };
  const add = (kind: SqlWord['kind'], value: string) => words.push({ kind, text: value, depth });
  while (at < text.length) {
    if (take(blank)) continue;
    if (text.startsWith('/*', at)) {
      at = commentEnd(text, at);
      continue;
    }
    const quote = take(dollar);
    if (quote) {
      const end = text.indexOf(quote[0], at);
      add('string', text.slice(at, end < 0 ? undefined : end));
      at = end < 0 ? text.length : end + quote[0].length;
      continue;
    }
    const quoted = take(escapeString) ?? take(string);
    const name = quoted ? undefined : take(quotedName);
    const bare = quoted || name ? undefined : take(word);
    if (quoted) add('string', quoted[1] ?? '');
    else if (name) add('name', `${name[1] ?? ''}${name[2]}`.replaceAll('""', '"'));
    else if (bare) add('word', bare[0].toUpperCase());
    else {
      const symbol = text[at++] ?? '';
      if (symbol === ')') depth--;
      add('symbol', symbol);
      if (symbol === '(') depth++;
    }
  }
  return words;
}

/** Finds the end of a comment. Comments can be nested. */
function commentEnd(text: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
}

/** Quoted column names, separated by commas. */
export const escapedNames = (names: string[]) => names.map((name) => pg.escapeIdentifier(name)).join(', ');
