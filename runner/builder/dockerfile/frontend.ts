/**
 * Finds the frontend: the program that BuildKit would load to read a Dockerfile. BuildKit gives it access to its own API and, for some
 * calls, to the host's network, so users must not choose it. All forms that any version of BuildKit reads are found: `# syntax=`, `//
 * syntax=` and JSON, after a byte order mark, a shebang line or other directives.
 */
import { refused } from './refusal.ts';

/** The rest of a longer line is ignored: the text that is built contains no directives anyway. */
export const directiveCharactersMax = 4096;

/** Directives that may precede `syntax`. */
const known = new Set(['syntax', 'escape', 'check']);

/** Docker's own frontend. It is not loaded: the daemon has its features, or this check translates them. */
const official =
  /^(?:(?:docker\.io|index\.docker\.io|registry-1\.docker\.io)\/)?docker\/dockerfile(?:-upstream)?(?::[\w][\w.-]*)?(?:@sha256:[0-9a-f]{64})?$/;

/**
 * @param text without its byte order mark
 * @returns the official frontend in the Dockerfile, which is not loaded; `null` if there is none
 * @throws JobFailure `source_refused` for any other one
 */
export function namedFrontend(text: string): string | null {
  const found = inComments(text, '#') ?? inComments(text, '//') ?? inJson(text);
  if (!found) return null;
  const [name = ''] = found.value.split(' ');
  if (official.test(name)) return name;
  throw refused(
    found.line,
    `the frontend "${name}" is a program that would run in Docker itself; remove the syntax directive, or name docker/dockerfile:1.`,
  );
}

/** Older versions allow white space before the comment, newer ones do not. This function reads both. */
function inComments(text: string, sign: '#' | '//'): { line: number; value: string } | undefined {
  const lines = text.split('\n');
  const first = lines[0]?.startsWith('#!') ? 1 : 0;
  for (const [index, line] of lines.slice(first).entries()) {
    const { key, value } = directiveIn(commentOf(line, sign) ?? '') ?? { key: '', value: '' };
    if (!known.has(key)) return undefined;
    if (key === 'syntax') return { line: index + first + 1, value };
  }
  return undefined;
}

/**
 * Parses a directive, given without its comment sign. The pattern does not match the spaces around the value: if it did, a crafted comment
 * of 4 KB would take minutes.
 * @returns the key in lower case; undefined for another comment
 */
export function directiveIn(comment: string): { key: string; value: string } | undefined {
  const [, key = '', text = ''] = /^([a-z][a-z0-9]*)\s*=(.*)$/is.exec(comment) ?? [];
  const value = text.trim();
  return value === '' ? undefined : { key: key.toLowerCase(), value };
}

function commentOf(line: string, sign: string): string | undefined {
  const trimmed = line.slice(0, directiveCharactersMax).trimStart();
  return trimmed.startsWith(sign) ? trimmed.slice(sign.length).trimStart() : undefined;
}

function inJson(text: string): { line: number; value: string } | undefined {
  const body = text.startsWith('#!') ? text.slice(text.indexOf('\n') + 1) : text;
  if (!body.trimStart().startsWith('{')) return undefined;
  const value = /"syntax"\s*:\s*"([^"]*)"/i.exec(body)?.[1];
  return value === undefined ? undefined : { line: 1, value };
}
