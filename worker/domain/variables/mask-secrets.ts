/**
 * Removes secrets from text that leaves the platform: known values, in every form in which programs print them, and anything that looks
 * like a credential. In doubt it hides more, because the reader is a model that looks for the cause of an error.
 */

import { everywhere, issuedToken, jsonWebToken } from './secret-variables.ts';

/** Shorter values are part of many texts. */
const secretCharsMin = 6;
/** Base64 of a value depends on its neighbours at both ends. A middle part shorter than this would match by chance. */
const base64CharsMin = 8;
const mask = '***';

/** Patterns of credentials, with the surrounding text that remains readable. */
const credentialShapes: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gs, mask],
  // user:password@ in a URL (RFC 3986, 3.2.1); the scheme and the host remain.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@'"]+@/gi, `$1${mask}@`],
  [/\b(bearer\s+)[\w.~+/=-]{8,}/gi, `$1${mask}`],
  // name=value and "name": "value", where the name indicates a secret.
  [
    /(?<![\w.-])([\w.-]{0,64}?(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|auth)[\w.-]{0,64}["']?\s*[:=]\s*)("[^"]*"|'[^']*'|[^\s"',;&]+)/gi,
    `$1${mask}`,
  ],
  [everywhere(issuedToken), mask],
  [everywhere(jsonWebToken), mask],
];

/** Long words of mixed letters and digits: most random secrets. Digests and commits (only hex) remain, because they identify versions. */
const longWord = /[A-Za-z0-9_+=-]{32,}/g;
const looksRandom = (word: string) => /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word);

/**
 * @param secrets clear values: variables, tokens
 * @returns a function that masks a text
 */
export function secretMasker(secrets: readonly string[]): (text: string) => string {
  const replaceKnown = replacerOf([...new Set(secrets.flatMap(formsOf))]);
  return (text) => {
    let shown = replaceKnown(text);
    for (const [shape, replacement] of credentialShapes) shown = shown.replace(shape, replacement);
    return shown.replace(longWord, (word) => (looksRandom(word) ? mask : word));
  };
}

/** The value, its lines, and the password of a URL, each also URL-encoded, JSON-escaped and in base64. */
function formsOf(secret: string): string[] {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*:([^/?#@]+)@/i.exec(secret)?.[1] ?? '';
  const values = [secret, ...secret.split(/\r?\n/), password].map((value) => value.trim());
  return values
    .filter((value) => value.length >= secretCharsMin)
    .flatMap((value) => [
      value,
      encodeURIComponent(value.toWellFormed()),
      new URLSearchParams({ v: value }).toString().slice(2),
      JSON.stringify(value).slice(1, -1),
      ...base64Forms(value),
    ]);
}

/** RFC 4648 base64 after 0, 1 or 2 preceding bytes, without the characters that depend on the neighbours; in both alphabets. */
function base64Forms(value: string): string[] {
  const bytes = [...new TextEncoder().encode(value)];
  return [0, 1, 2].flatMap((before) => {
    const padded = [...new Array(before).fill(0), ...bytes].map((byte) => String.fromCharCode(byte)).join('');
    const first = Math.ceil((before * 8) / 6);
    const stable = btoa(padded).slice(first, Math.floor((padded.length * 8) / 6));
    if (stable.length < base64CharsMin) return [];
    return [stable, stable.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/**
 * Finds forms by their first characters, so that the time depends on the text and not on the variables (up to 256 KB).
 * If several forms start at the same position, the longest wins.
 */
function replacerOf(forms: readonly string[]): (text: string) => string {
  const headOf = (form: string, at = 0) => form.slice(at, at + secretCharsMin);
  const byHead = Map.groupBy(
    [...forms].sort((one, other) => other.length - one.length),
    (form) => headOf(form),
  );
  return (text) => {
    const parts: string[] = [];
    let from = 0;
    for (let at = 0; at + secretCharsMin <= text.length; ) {
      const form = byHead.get(headOf(text, at))?.find((one) => text.startsWith(one, at));
      if (form === undefined) {
        at++;
        continue;
      }
      parts.push(text.slice(from, at), mask);
      at += form.length;
      from = at;
    }
    return parts.join('') + text.slice(from);
  };
}
