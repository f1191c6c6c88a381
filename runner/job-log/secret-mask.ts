/**
 * Finds a job's secrets in its output: the exact values, and the forms in which programs print them (base64 at any offset,
 * percent-encoded, JSON-escaped). Each line of a multi-line secret counts as a secret. This is best effort: it misses a secret in an
 * unusual encoding, or half of a secret.
 */

import { secretsOfSource } from '../../protocol/import-source.ts';
import type { DeploySecrets } from '../../protocol/job-spec.ts';
import { allVariables } from '../../protocol/variable-scope.ts';

/** Shorter values are too common in text to mask. */
const secretBytesMin = 6;
/** Minimum length of the part of a base64 text that does not depend on the bytes around the secret. */
const base64CharsMin = 6;
/** Long enough that different secrets rarely share the same start. */
const headCharsMax = 8;
const maskText = '***';

/** Words that appear in every build log: masking them would hide the log and protect nothing. */
const plainWords = new Set(
  [
    'production development staging testing preview debug verbose warning silent notice',
    'enabled disabled default localhost public private internal external',
    'postgres mysql mongodb clickhouse database server',
    // Values that stand in for a secret until somebody sets one
    'secret secrets password passwords passphrase changeme change-me changeit replaceme token apikey example placeholder undefined',
    '0.0.0.0 127.0.0.1',
  ].flatMap((words) => words.split(' ')),
);

/** All of a job's values that must not be printed. */
export const secretValues = ({
  secretKeys,
  files,
  gitToken,
  gitCredential,
  registries,
  sourceUrl,
  ...variables
}: DeploySecrets): string[] => [
  ...valuesOf(allVariables(variables), secretKeys),
  ...(files ?? []).flatMap(({ secret, content }) => (secret ? [content] : [])),
  gitToken ?? '',
  gitCredential?.token ?? '',
  ...(registries ?? []).map(({ password }) => password),
  ...(sourceUrl === undefined ? [] : secretsOfSource(sourceUrl)),
];

/** @param keys absent: all */
const valuesOf = (values: Record<string, string>, keys = Object.keys(values)) =>
  keys.map((key) => values[key] ?? '');

/**
 * A value that looks like a word is part of other words ("secret" of "secretary"): it is masked only where it stands alone. Generated secrets
 * have digits, mixed letters, many consonants in a row, or more characters.
 */
const word = /^(?!.*[bcdfghjklmnpqrstvwxz]{5})(?:[a-z]{1,15}|[A-Z][a-z]{1,14}|[A-Z]{1,15})$/;
const letterOrDigit = /[\p{L}\p{N}]/u;

const standsAlone = (text: string, start: number, end: number) =>
  !letterOrDigit.test(text[start - 1] ?? '') && !letterOrDigit.test(text[end] ?? '');

export interface SecretMask {
  /** Length of the longest form in characters: a secret that starts before a cut can extend this far beyond it. */
  readonly longest: number;
  /** The text with every secret replaced. */
  apply(text: string): string;
  /** The positions of the secrets: sorted, not overlapping, ends exclusive. */
  find(text: string): [start: number, end: number][];
}

/**
 * Looks up forms by their first characters, so the time depends on the text and hardly on the number and size of the secrets
 * (256 KB of variables are allowed; all their forms are too much for one regular expression).
 */
export function secretMask(secrets: readonly string[]): SecretMask {
  const values = [...new Set(secrets.flatMap(valuesIn))];
  const forms = [...new Set(values.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const longest = forms[0]?.length ?? 0;
  const occurrences = formFinder(forms, new Set(values.filter((value) => word.test(value))));
  return maskOf(longest, (text) => merged(occurrences(text)));
}

/** Masks what one of the two masks. */
export const eitherMask = (one: SecretMask, other: SecretMask): SecretMask =>
  maskOf(Math.max(one.longest, other.longest), (text) =>
    merged([...one.find(text), ...other.find(text)].sort(([a], [b]) => a - b)),
  );

const maskOf = (longest: number, find: SecretMask['find']): SecretMask => ({
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
});

/** The secret, each of its lines, and its password if it is a URL. */
const valuesIn = (secret: string): string[] =>
  [secret, ...secret.split(/\r?\n/).map((line) => line.trim()), passwordOf(secret)].filter(isSecret);

const formsOf = (value: string): string[] => [
  value,
  ...base64Forms(value),
  encodeURIComponent(value.toWellFormed()),
  new URLSearchParams({ v: value }).toString().slice(2),
  JSON.stringify(value).slice(1, -1),
];

/** An unresolved reference: the warning about it must be able to mention it. */
const reference = /^\$\{(?:[^{}$]+\.)?[A-Z_][A-Z0-9_]*\}$/;

const isSecret = (value: string) =>
  Buffer.byteLength(value) >= secretBytesMin &&
  !plainWords.has(value.toLowerCase()) &&
  !reference.test(value);

/** The password of a connection URL, because programs also print it alone. */
function passwordOf(value: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*:([^/?#@]+)@/i.exec(value)?.[1] ?? '';
}

/**
 * RFC 4648 base64 of the secret with 0, 1 or 2 bytes before it, without the characters that depend on the neighbouring bytes;
 * in the standard and in the URL-safe alphabet.
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
 * @param forms longest first: of the forms that start at one place, the first found covers the others
 * @param words those that are masked only where they stand alone
 * @returns a function that finds the forms in a text, sorted by start
 */
function formFinder(
  forms: readonly string[],
  words: ReadonlySet<string>,
): (text: string) => [number, number][] {
  const headLength = Math.min(headCharsMax, forms.at(-1)?.length ?? 0);
  const byHead = Map.groupBy(forms, (form) => form.slice(0, headLength));
  const firstCharacters = new Set(forms.map((form) => form.charCodeAt(0)));
  return (text) => {
    const found: [number, number][] = [];
    if (forms.length === 0) return found;
    for (let at = 0; at + headLength <= text.length; at++) {
      if (!firstCharacters.has(text.charCodeAt(at))) continue;
      const form = byHead
        .get(text.slice(at, at + headLength))
        ?.find(
          (one) => text.startsWith(one, at) && (!words.has(one) || standsAlone(text, at, at + one.length)),
        );
      if (form !== undefined) found.push([at, at + form.length]);
    }
    return found;
  };
}

/** Merges ranges that overlap or touch. @param ranges sorted by start */
function merged(ranges: [number, number][]): [number, number][] {
  const result: [number, number][] = [];
  for (const [start, end] of ranges) {
    const last = result.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}
