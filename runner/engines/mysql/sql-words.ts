/**
 * The words of a statement as MySQL reads them: what is commented out is none.
 * Rules: https://dev.mysql.com/doc/refman/9.4/en/comments.html and .../string-literals.html, in the mode that every connection here is set to.
 */
import { EngineError } from '../engine-error.ts';

/** At each place: what is skipped (blanks and comments), what is quoted, a word, or any other sign. `--` needs a blank behind it. */
const piece =
  /([ \t\r\n]+|--(?=[ \t\r\n]|$)[^\n]*|#[^\n]*|\/\*.*?(?:\*\/|$))|('(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`)|([\w$\u0080-\uffff]+)|(.)/gsu;

/** Runs in MySQL although it looks like a comment. */
const runsAsCode = /^\/\*M?!/i;
/** For the optimizer. MySQL knows quotes in it, which end it elsewhere than a comment. */
const hintWithQuotes = /^\/\*\+.*['"`]/s;

/**
 * Upper-cased words, and other signs one by one. What is quoted is one word, in its quotes: a function's or an engine's name may be.
 * @throws EngineError `invalid_request` for what could be read in two ways
 */
export function sqlWords(text: string): string[] {
  const control = [...text].find((sign) => sign < ' ' && !'\t\r\n'.includes(sign));
  if (control !== undefined || text.includes('\x7f')) {
    throw refused('The statement holds a control character: write it as an escape in quotes.');
  }
  const words: string[] = [];
  for (const [, skipped = '', quoted, word, sign] of text.matchAll(piece)) {
    if (runsAsCode.test(skipped)) {
      throw refused('A comment that MySQL runs as code (/*! ... */) has no place here: write it without.');
    }
    if (hintWithQuotes.test(skipped)) {
      throw refused('A hint for the optimizer takes no quoted names here: write them without.');
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
