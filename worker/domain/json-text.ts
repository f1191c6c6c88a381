import { ApiError } from './errors.ts';

/** Deeper than any body here needs; a deep one costs whoever walks it. */
export const depthMax = 20;

/** Strings and what nests; of valid JSON nothing else can hold these characters. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/g;

/**
 * Reads JSON (RFC 8259), more strictly than `JSON.parse`: not too deep, no member twice (parsers disagree on which one counts, section 4),
 * none named `__proto__`, which would be harmless or not depending on who copies the object, and no half of a surrogate pair (section 8.2:
 * what comes of one is unpredictable; here the store would keep another text).
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
    if (!isWellFormed(found)) throw halfCharacter(name);
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
  if (members?.has(name)) throw refused(`names the field ${shown(name)} twice`);
  members?.add(name);
}

/** @param found a string as it is written, maybe with the colon after it */
function isWellFormed(found: string): boolean {
  if (!found.includes('\\u')) return found.isWellFormed();
  const text: string = JSON.parse(found.replace(/\s*:$/, ''));
  return text.isWellFormed();
}

function halfCharacter(name: string): ApiError {
  const place = name === '' ? 'The body' : `The field ${shown(name)}`;
  return new ApiError('invalid_request', `${place} must be valid Unicode, without half of a surrogate pair.`);
}

const shown = (name: string) => JSON.stringify(name.slice(0, 100).toWellFormed());

function refused(predicate: string): ApiError {
  return new ApiError('invalid_request', `The body ${predicate}.`);
}
