/**
 * Reads the text of a `.env` file. The syntax is what dotenv, Docker Compose and shells have in common; a line outside of it is refused,
 * because a skipped one would be a variable that is missing later. References (`${db.DATABASE_URL}`) stay as written.
 */
import { ApiError } from '../errors.ts';

export interface EnvEntry {
  key: string;
  value: string;
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=[ \t]*/;
const keyPattern = /^[A-Z_][A-Z0-9_]*$/;
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' };

/** @throws ApiError `invalid_request` that names the line */
export function parseEnvText(text: string): EnvEntry[] {
  const entries = new Map<string, string>();
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (/^\s*(#|$)/.test(line)) continue;
    const at = index + 1;
    const [start, key] = assignment.exec(line) ?? [];
    if (start === undefined || key === undefined) throw refusal(at, 'is not KEY=VALUE, a comment or empty');
    assertKey(key, at);
    if (entries.has(key)) throw refusal(at, `repeats ${key}: give each key once`);
    const rest = line.slice(start.length);
    const quote = /^["']/.exec(rest)?.[0];
    if (quote === undefined) {
      const comment = rest.search(/(^|\s)#/);
      entries.set(key, (comment === -1 ? rest : rest.slice(0, comment)).trim());
      continue;
    }
    // Line by line: a text of 65,000 empty lines must not be searched from its start for each of them.
    let last = rest.slice(1);
    let end = closing(last, quote);
    const before: string[] = [];
    while (end === -1 && index + 1 < lines.length) {
      before.push(last);
      last = lines[++index] ?? '';
      end = closing(last, quote);
    }
    if (end === -1) throw refusal(at, `opens a quote (${quote}) that is never closed`);
    if (!/^\s*(#.*)?$/.test(last.slice(end + 1))) throw refusal(at, 'has text after the closing quote');
    const inside = [...before, last.slice(0, end)].join('\n');
    const value = quote === "'" ? inside : inside.replace(/\\(.)/g, (all, char) => escapes[char] ?? all);
    entries.set(key, value);
  }
  return Array.from(entries, ([key, value]) => ({ key, value }));
}

/** Index of the closing quote in a line of the value; -1 if it is not there. A backslash escapes inside double quotes. */
function closing(text: string, quote: string): number {
  for (let at = 0; at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at++;
    else if (text[at] === quote) return at;
  }
  return -1;
}

function assertKey(key: string, line: number): void {
  if (keyPattern.test(key)) return;
  const upper = key.toUpperCase().replace(/[.-]/g, '_');
  throw refusal(line, `has the key "${key}", which must match ^[A-Z_][A-Z0-9_]*$: write ${upper}`);
}

const refusal = (line: number, what: string) =>
  new ApiError('invalid_request', `The field "text" can't be read: line ${line} ${what}. Nothing was set.`);
