/** Splits a command line into words as redis-cli does: at blanks, with the quoting forms "\x00\n\"" and '\''. */
import { EngineError } from '../engine-error.ts';

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' };

/** @throws EngineError `invalid_request` for no command, more than one line, or an unclosed quote */
export function commandWords(line: string): Buffer[] {
  if (!line.isWellFormed()) throw refused('This is not text: write bytes as "\\x00" in double quotes.');
  const text = line.trim();
  const words: Buffer[] = [];
  let at = 0;
  while (at < text.length) {
    const blank = /\s+/y;
    blank.lastIndex = at;
    const gap = blank.exec(text)?.[0] ?? '';
    if (/[\r\n]/.test(gap))
      throw refused('Send one command line at a time: a line break is allowed only in quotes.');
    at += gap.length;
    const word = readWord(text, at);
    words.push(word.bytes);
    at = word.end;
  }
  if (words.length === 0) throw refused('Give one Redis command, such as: HGETALL user:1');
  return words;
}

function readWord(text: string, start: number): { bytes: Buffer; end: number } {
  const parts: Buffer[] = [];
  let at = start;
  while (at < text.length && !/\s/.test(text[at] ?? '')) {
    const quote = text[at];
    if (quote !== '"' && quote !== "'") {
      const plain = /[^\s"']+/y;
      plain.lastIndex = at;
      const found = plain.exec(text)?.[0] ?? '';
      parts.push(Buffer.from(found));
      at += found.length;
      continue;
    }
    const quoted = quote === '"' ? /"((?:[^"\\]|\\.)*)"(?=\s|$)/suy : /'((?:[^'\\]|\\'|\\(?!'))*)'(?=\s|$)/y;
    quoted.lastIndex = at;
    const found = quoted.exec(text);
    if (!found)
      throw refused(`The quote at position ${at + 1} has no end, or is directly followed by a word.`);
    const inside = found[1] ?? '';
    parts.push(quote === '"' ? unescaped(inside) : Buffer.from(inside.replaceAll("\\'", "'")));
    at += found[0].length;
  }
  return { bytes: Buffer.concat(parts), end: at };
}

function unescaped(inside: string): Buffer {
  const parts = inside.match(/\\x[0-9a-f]{2}|\\.|[^\\]+/gisu) ?? [];
  return Buffer.concat(
    parts.map((part) => {
      if (!part.startsWith('\\')) return Buffer.from(part);
      if (/^\\x../s.test(part)) return Buffer.from(part.slice(2), 'hex');
      return Buffer.from(escapes[part.slice(1)] ?? part.slice(1));
    }),
  );
}

function refused(message: string): EngineError {
  return new EngineError('invalid_request', message);
}
