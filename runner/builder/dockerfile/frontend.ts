/**
 * The program that BuildKit would load to read a Dockerfile. BuildKit runs it with its own API and, for some calls, in the host's
 * network, so it must not come from the person whose Dockerfile it is. All forms that any version of BuildKit reads are looked for:
 * `# syntax=`, `// syntax=` and JSON, behind a byte order mark, a shebang line or other directives.
 */
import { refused } from './refusal.ts';

/** The rest of a longer line is not looked at: whatever it says, the text that is built has no directive. */
export const directiveCharactersMax = 4096;

/** Directives that may stand before `syntax`. */
const known = new Set(['syntax', 'escape', 'check']);

/** Docker's own frontend: everything that it is needed for is in the daemon, or is translated here. */
const official =
  /^(?:(?:docker\.io|index\.docker\.io|registry-1\.docker\.io)\/)?docker\/dockerfile(?:-upstream)?(?::[\w][\w.-]*)?(?:@sha256:[0-9a-f]{64})?$/;

/**
 * @param text without its byte order mark
 * @returns the official frontend that the Dockerfile names, which is not loaded; null when it names none
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

/** Older versions take white space before the comment, newer ones none: both are read here. */
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
 * A directive, without the sign of its comment. The spaces around the value are no part of the pattern: one that takes them away as well
 * needs minutes for a comment of 4 KB that is made for it.
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
