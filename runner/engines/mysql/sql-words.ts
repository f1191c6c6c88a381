/**
 * Splits a statement into words as MySQL does, without comments.
 * Rules: https://dev.mysql.com/doc/refman/9.4/en/comments.html and .../string-literals.html, in the SQL mode that every connection here
 * sets.
 */
import { EngineError } from '../engine-error.ts';

/** In this order: skipped text (blanks and comments), a quoted text, a word, or any other character. A blank must follow `--`. */
const piece =
  /([ \t\r\n]+|--(?=[ \t\r\n]|$)[^\n]*|#[^\n]*|\/\*.*?(?:\*\/|$))|('(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`)|([\w$\u0080-\uffff]+)|(.)/gsu;

/** MySQL runs such a comment as code. */
const runsAsCode = /^\/\*M?!/i;
/** An optimizer hint. MySQL recognizes quotes in it, so it may not end where a comment would end. */
const hintWithQuotes = /^\/\*\+.*['"`]/s;

/**
 * The words in upper case, and other characters one by one. A quoted text is one word with its quotes, since it may be the name of a
 * function or an engine.
 * @throws EngineError `invalid_request` for an ambiguous statement
 */
export function sqlWords(text: string): string[] {
  const control = [...text].find((sign) => sign < ' ' && !'\t\r\n'.includes(sign));
  if (control !== undefined || text.includes('\x7f')) {
    throw refused('The statement contains a control character: write it as an escape in quotes.');
  }
  const words: string[] = [];
  for (const [, skipped = '', quoted, word, sign] of text.matchAll(piece)) {
    if (runsAsCode.test(skipped)) {
      throw refused(
        'A comment that MySQL runs as code (/*! ... */) is not allowed here: write the statement without it.',
      );
    }
    if (hintWithQuotes.test(skipped)) {
      throw refused('A hint for the optimizer cannot have quoted names here: write them without quotes.');
    }
    if (sign !== undefined && `'"\``.includes(sign)) throw refused(`A quote (${sign}) has no end.`);
    const found = word?.toUpperCase() ?? quoted?.toUpperCase().replace(/\s/g, '_') ?? sign;
    if (found !== undefined) words.push(found);
  }
  return words;
}

function refused(message: string): EngineError {
  return new EngineError('invalid_request', message);
}
