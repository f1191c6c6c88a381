/**
 * Finds a job's secrets in its output: the exact values, and the forms in which programs print them again (base64 at any offset,
 * percent-encoded, JSON-escaped). Of a secret with several lines each line is one. Best effort: a program that encodes a secret in a
 * way of its own, or prints half of it, is not caught.
 */

/** Shorter values are too common in text to be hidden. */
const secretBytesMin = 6;
/** Parts of a base64 text that do not depend on what stands beside the secret; shorter ones are left out. */
const base64CharsMin = 6;
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

export interface SecretMask {
  /** Length of the longest form in characters: a secret that begins before a cut can reach this far beyond it. */
  readonly longest: number;
  /** The text with every secret replaced. */
  apply(text: string): string;
  /** Where the secrets stand: sorted, not overlapping, ends exclusive. */
  find(text: string): [start: number, end: number][];
}

/** @param secrets clear values, as the job received them */
export function secretMask(secrets: readonly string[]): SecretMask {
  const needles = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const longest = needles[0]?.length ?? 0;
  // One pass decides for most lines that there is nothing to hide; overlaps are sorted out only where there is.
  const any = needles.length > 0 ? new RegExp(needles.map(literally).join('|')) : undefined;
  const find = (text: string) => (any?.test(text) ? merged(occurrences(text, needles)) : []);
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

const isSecret = (value: string) =>
  Buffer.byteLength(value) >= secretBytesMin && !plainWords.has(value.toLowerCase());

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

/** A text as a pattern that matches itself. */
const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

function occurrences(text: string, needles: readonly string[]): [number, number][] {
  const found: [number, number][] = [];
  for (const needle of needles) {
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
      found.push([at, at + needle.length]);
    }
  }
  return found;
}

function merged(ranges: [number, number][]): [number, number][] {
  const result: [number, number][] = [];
  for (const [start, end] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}
