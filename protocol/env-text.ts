/**
 * Parses the text of a `.env` file, for the API, the command line and the dashboard. The syntax is the common part of dotenv, Docker Compose and
 * shells. A line outside of it is reported, because skipping it would lose a variable. References (`${db.DATABASE_URL}`) stay as written.
 */

export interface EnvEntry {
  key: string;
  value: string;
}

/** The allowed names of variables. */
export const variableName = /^[A-Z_][A-Z0-9_]*$/;

const assignment = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=[ \t]*/;
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' };

/** @returns the variables before the first problem, and the problem as a part of a sentence with its line (null if there is none) */
export function readEnvText(text: string): { entries: EnvEntry[]; problem: string | null } {
  const entries = new Map<string, string>();
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const end = (problem: string | null) => ({
    entries: Array.from(entries, ([key, value]) => ({ key, value })),
    problem,
  });
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (/^\s*(#|$)/.test(line)) continue;
    const at = `line ${index + 1}`;
    const [start, key] = assignment.exec(line) ?? [];
    if (start === undefined || key === undefined) return end(`${at} is not KEY=VALUE, a comment or empty`);
    if (!variableName.test(key)) {
      const upper = key.toUpperCase().replace(/[.-]/g, '_');
      return end(
        `${at} has the key "${key}", which must match ${variableName.source}: write ${upper}, and give the app the other name by the setting "variableNames"`,
      );
    }
    if (entries.has(key)) return end(`${at} repeats ${key}: give each key once`);
    const rest = line.slice(start.length);
    const quote = /^["']/.exec(rest)?.[0];
    if (quote === undefined) {
      const comment = rest.search(/(^|\s)#/);
      entries.set(key, (comment === -1 ? rest : rest.slice(0, comment)).trim());
      continue;
    }
    // Search line by line: otherwise each of 65,000 empty lines would be searched from the start of the text.
    let last = rest.slice(1);
    let closed = closing(last, quote);
    const before: string[] = [];
    while (closed === -1 && index + 1 < lines.length) {
      before.push(last);
      last = lines[++index] ?? '';
      closed = closing(last, quote);
    }
    if (closed === -1) return end(`${at} opens a quote (${quote}) that is never closed`);
    if (!/^\s*(#.*)?$/.test(last.slice(closed + 1))) return end(`${at} has text after the closing quote`);
    const inside = [...before, last.slice(0, closed)].join('\n');
    const value = quote === "'" ? inside : inside.replace(/\\(.)/g, (all, char) => escapes[char] ?? all);
    entries.set(key, value);
  }
  return end(null);
}

/** Index of the closing quote in a line of the value, or -1. A backslash escapes inside double quotes. */
function closing(text: string, quote: string): number {
  for (let at = 0; at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at++;
    else if (text[at] === quote) return at;
  }
  return -1;
}

/** The text of a `.env` file that `readEnvText`, Docker Compose and shells parse into these values. */
export const writeEnvText = (entries: Iterable<[key: string, value: string]>): string =>
  Array.from(entries, ([key, value]) => `${key}=${quoted(value)}\n`).join('');

function quoted(value: string): string {
  if (/^[\w./:@%+,-]*$/.test(value)) return value;
  // Texts are split at carriage returns, so a value with a carriage return is written with an escape.
  if (!/['\r]/.test(value)) return `'${value}'`;
  return `"${value.replace(/["\\$]/g, '\\$&').replace(/\r/g, '\\r')}"`;
}
