import { ApiError } from './errors.ts';

/** Maximum nesting; no request body needs more, and deep values are expensive to traverse. */
export const depthMax = 20;

/** Strings and brackets: in valid JSON, these characters occur nowhere else. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/g;

/**
 * Parses JSON (RFC 8259) more strictly than `JSON.parse`. It refuses deep nesting, duplicate members (section 4: parsers disagree on which
 * one counts), members named `__proto__` (dangerous if the object is copied carelessly) and lone surrogates (section 8.2: the result is
 * unpredictable; here the store would save a different text).
 * @throws ApiError `malformed_json` or `invalid_request`.
 */
export function readJson(text: string): unknown {
  const value = parse(text);
  const open: (Set<string> | null)[] = [];
  let name = '';
  for (const [found, colon] of text.matchAll(token)) {
    if (found === '}' || found === ']') open.pop();
    else if (found === '{' || found === '[') {
      open.push(found === '{' ? new Set() : null);
      if (open.length > depthMax) throw refused(`is nested deeper than ${depthMax} levels`);
    } else if (colon !== undefined) {
      name = JSON.parse(found.slice(0, -colon.length));
      addMember(open.at(-1), name);
    }
    if (!isWellFormed(found)) throw brokenUnicode(name);
  }
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError('malformed_json', 'The body is not JSON: send one JSON object.', { cause });
  }
}

function addMember(members: Set<string> | null | undefined, name: string): void {
  if (name === '__proto__') throw refused(`has a field ${shown(name)}: leave it out`);
  if (members?.has(name)) throw refused(`has the field ${shown(name)} twice`);
  members?.add(name);
}

/** @param found a string literal as written, possibly with the colon after it */
function isWellFormed(found: string): boolean {
  if (!found.includes('\\u')) return found.isWellFormed();
  const text: string = JSON.parse(found.replace(/\s*:$/, ''));
  return text.isWellFormed();
}

function brokenUnicode(name: string): ApiError {
  const place = name === '' ? 'The body' : `The field ${shown(name)}`;
  return new ApiError('invalid_request', `${place} must be valid Unicode, without half of a surrogate pair.`);
}

const shown = (name: string) => JSON.stringify(name.slice(0, 100).toWellFormed());

function refused(predicate: string): ApiError {
  return new ApiError('invalid_request', `The body ${predicate}.`);
}
