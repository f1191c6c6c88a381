/** A statement in its parts, for the colours of the editor. */
import { wordsOf } from './words.ts';

export type PartKind = 'comment' | 'string' | 'number' | 'word' | 'plain';

export interface Part {
  kind: PartKind;
  text: string;
}

/** A longer statement is shown without colours: each key press would colour all of it again. */
const colouredMax = 20_000;

/** Comments, texts in quotes or dollars, numbers and names; a part that is not closed goes to the end. */
const parts =
  /(?<comment>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>'(?:[^'\\]|''|\\[\s\S])*(?:'|$)|"(?:[^"\\]|""|\\[\s\S])*(?:"|$)|`(?:[^`]|``)*(?:`|$)|(\$\w*\$)[\s\S]*?(?:\3|$))|(?<number>\b\d+(?:\.\d+)?\b)|(?<name>\$?[A-Za-z_][\w$]*)/g;

/** All parts in order; their texts together are the statement. */
export function statementParts(engine: string, statement: string): Part[] {
  if (statement.length > colouredMax) return [{ kind: 'plain', text: statement }];
  const words = new Set(wordsOf(engine).map((word) => word.toLowerCase()));
  const found: Part[] = [];
  let at = 0;
  const add = (kind: PartKind, text: string) => {
    if (text !== '') found.push({ kind, text });
  };
  for (const match of statement.matchAll(parts)) {
    add('plain', statement.slice(at, match.index));
    at = match.index + match[0].length;
    const { comment, string, number } = match.groups ?? {};
    if (comment !== undefined) add('comment', comment);
    else if (string !== undefined) add('string', string);
    else if (number !== undefined) add('number', number);
    else add(words.has(match[0].toLowerCase()) ? 'word' : 'plain', match[0]);
  }
  add('plain', statement.slice(at));
  return found;
}
