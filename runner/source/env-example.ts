/**
 * Reads files such as `.env.example`, in which repositories list their variables. Takes keys and comments, but never values: people leave
 * real values there. The format is dotenv's: `KEY=value`, `export KEY=value`, comments with `#`, quotes over several lines.
 */
import { variableName } from '../../protocol/env-text.ts';

export interface NamedKey {
  key: string;
  /** The comment above or next to the key; empty if there is none. */
  label: string;
}

const keyCharsMax = 100;
const labelCharsMax = 160;

const assignment = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=(.*)$/;
const comment = /^\s*#(.*)$/;

/** The keys of a file, each once, in order. Skips keys that are not valid variable names here. */
export function parseEnvExample(text: string): NamedKey[] {
  const found = new Map<string, string>();
  let above: string[] = [];
  /** The quote that is still open from an earlier line. */
  let quote: string | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (quote !== undefined) {
      if (line.includes(quote)) quote = undefined;
      continue;
    }
    const said = comment.exec(line)?.[1];
    if (said !== undefined) {
      above.push(said);
      continue;
    }
    const [, key, rest = ''] = assignment.exec(line) ?? [];
    if (key !== undefined) {
      const { beside, open } = afterValue(rest);
      quote = open;
      if (variableName.test(key) && key.length <= keyCharsMax && !found.has(key)) {
        found.set(key, labelOf(beside === '' ? above : [beside]));
      }
    }
    above = [];
  }
  return Array.from(found, ([key, label]) => ({ key, label }));
}

/**
 * The text after a value: a comment or nothing, and the quote that stays open. `#` directly after `=` belongs to the value: a colour, a
 * password.
 */
function afterValue(rest: string): { beside: string; open?: string } {
  const value = rest.trimStart();
  const [, quote] = /^(["'`])/.exec(value) ?? [];
  if (quote === undefined) return { beside: /\s#(.*)$/.exec(rest)?.[1] ?? '' };
  const end = value.indexOf(quote, 1);
  if (end < 0) return { beside: '', open: quote };
  return { beside: /^\s*#(.*)$/.exec(value.slice(end + 1))?.[1] ?? '' };
}

/** Removes control characters and rulers. A comment that contains an assignment is a disabled variable. */
function labelOf(lines: readonly string[]): string {
  const words = lines
    .map((line) => line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+|[-=#*~_]{3,}/gu, ' '))
    .filter((line) => !/[A-Za-z0-9_]\s*=/.test(line))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...words].slice(0, labelCharsMax).join('');
}
