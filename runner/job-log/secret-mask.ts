/**
 * Finds a job's secrets in its output: the exact values, and the forms in which programs print them again (base64 at any offset,
 * percent-encoded, JSON-escaped). Of a secret with several lines each line is one. Best effort: a program that encodes a secret in a
 * way of its own, or prints half of it, is not caught.
 */

import { secretsOfSource } from '../../protocol/import-source.ts';
import type { DeploySecrets } from '../../protocol/job-spec.ts';

/** Shorter values are too common in text to be hidden. */
const secretBytesMin = 6;
/** Parts of a base64 text that do not depend on what stands beside the secret; shorter ones are left out. */
const base64CharsMin = 6;
/** Long enough that different secrets rarely share it. */
const headCharsMax = 8;
const maskText = '***';

/** Values of variables that are words of every build log; hiding them would hide the log and protect nothing. */
const plainWords = new Set(
  [
    'production development staging testing preview debug verbose warning silent notice',
    'enabled disabled default localhost public private internal external',
    'postgres mysql mongodb clickhouse default',
    '0.0.0.0 127.0.0.1',
  ].flatMap((words) => words.split(' ')),
);

/** All of a job's secrets that must not be printed. */
export const secretValues = ({ env, gitToken, sourceUrl }: DeploySecrets): string[] => [
  ...Object.values(env),
  gitToken ?? '',
  ...(sourceUrl === undefined ? [] : secretsOfSource(sourceUrl)),
];

export interface SecretMask {
  /** Length of the longest form in characters: a secret that begins before a cut can reach this far beyond it. */
  readonly longest: number;
  /** The text with every secret replaced. */
  apply(text: string): string;
  /** Where the secrets stand: sorted, not overlapping, ends exclusive. */
  find(text: string): [start: number, end: number][];
}

/**
 * Looks up forms by their first characters: time grows with the text, hardly with the number and size of the secrets (256 KB of variables
 * are allowed; one pattern of all their forms is more than a regular expression can be).
 * @param secrets clear values, as the job received them
 */
export function secretMask(secrets: readonly string[]): SecretMask {
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const longest = forms[0]?.length ?? 0;
  const occurrences = formFinder(forms);
  const find = (text: string) => merged(occurrences(text));
  return {
    longest,
    find,
    apply(text) {
      let shown = '';
      let from = 0;
      for (const [start, end] of find(text)) {
        shown += text.slice(from, start) + maskText;
        from = end;
      }
      return shown + text.slice(from);
    },
  };
}

function formsOf(secret: string): string[] {
  const values = [secret, ...secret.split(/\r?\n/).map((line) => line.trim()), passwordOf(secret)].filter(
    isSecret,
  );
  return values.flatMap((value) => [
    value,
    ...base64Forms(value),
    encodeURIComponent(value.toWellFormed()),
    new URLSearchParams({ v: value }).toString().slice(2),
    JSON.stringify(value).slice(1, -1),
  ]);
}

/** A reference that stayed as written: the warning about it has to name it. */
const reference = /^\$\{(?:[^{}$]+\.)?[A-Z_][A-Z0-9_]*\}$/;

const isSecret = (value: string) =>
  Buffer.byteLength(value) >= secretBytesMin &&
  !plainWords.has(value.toLowerCase()) &&
  !reference.test(value);

/** The password of a connection URL is printed alone, too. */
function passwordOf(value: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*:([^/?#@]+)@/i.exec(value)?.[1] ?? '';
}

/**
 * RFC 4648 base64 of the secret with 0, 1 or 2 bytes before it, without the characters that depend on its neighbours;
 * in the standard and the URL-safe alphabet.
 */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const first = Math.ceil((offset * 8) / 6);
    const end = Math.floor(((offset + bytes.length) * 8) / 6);
    const stable = text.slice(first, end);
    if (stable.length < base64CharsMin) return [];
    return [stable, stable.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/**
 * @param forms the longest first: of those that begin at one place it covers the others
 * @returns a function that yields where forms stand, by their start
 */
function formFinder(forms: readonly string[]): (text: string) => [number, number][] {
  const headLength = Math.min(headCharsMax, forms.at(-1)?.length ?? 0);
  const byHead = Map.groupBy(forms, (form) => form.slice(0, headLength));
  const firstCharacters = new Set(forms.map((form) => form.charCodeAt(0)));
  return (text) => {
    const found: [number, number][] = [];
    if (forms.length === 0) return found;
    for (let at = 0; at + headLength <= text.length; at++) {
      if (!firstCharacters.has(text.charCodeAt(at))) continue;
      const form = byHead.get(text.slice(at, at + headLength))?.find((one) => text.startsWith(one, at));
      if (form !== undefined) found.push([at, at + form.length]);
    }
    return found;
  };
}

/** Joins what overlaps or touches. @param ranges sorted by start */
function merged(ranges: [number, number][]): [number, number][] {
  const result: [number, number][] = [];
  for (const [start, end] of ranges) {
    const last = result.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}
