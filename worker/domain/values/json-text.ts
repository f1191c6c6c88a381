import { isExactNumber } from '../../../protocol/exact-number.ts';
import { ApiError } from '../errors.ts';

/** Maximum nesting; no request body needs more, and deep values are expensive to traverse. */
export const depthMax = 20;

/** Strings, brackets and numbers: in valid JSON, their first characters occur nowhere else. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]|-?\d[\d.eE+-]*/g;

/** An object or list that is still open. */
interface Open {
  /** Names of members so far; `null` for a list. */
  members: Set<string> | null;
  /** The member that is being parsed. */
  name: string;
}

/**
 * Parses JSON (RFC 8259) more strictly than `JSON.parse`. It refuses deep nesting, duplicate members (section 4: parsers disagree on which
 * of them counts), members named `__proto__` (dangerous if the object is copied carelessly) and lone surrogates (section 8.2: the result
 * is unpredictable; here the store would save a different text). With `exactNumbers` it also refuses numbers that a double would round
 * (section 6).
 * @throws ApiError `malformed_json` or `invalid_request`.
 */
export function readJson(text: string, { exactNumbers = false } = {}): unknown {
  const value = parse(text);
  const open: Open[] = [];
  for (const [found, colon] of text.matchAll(token)) {
    if (found === '}' || found === ']') open.pop();
    else if (found === '{' || found === '[') {
      open.push({ members: found === '{' ? new Set() : null, name: '' });
      if (open.length > depthMax) throw refused(`is nested deeper than ${depthMax} levels`);
    } else if (found.startsWith('"')) {
      if (colon !== undefined) addMember(open.at(-1), JSON.parse(found.slice(0, -colon.length)));
      if (!isWellFormed(found)) throw brokenUnicode(open);
    } else if (exactNumbers && !isExactNumber(found)) throw rounded(open, found);
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

function addMember(inner: Open | undefined, name: string): void {
  if (name === '__proto__') throw refused(`has a field ${shown(name)}: leave it out`);
  if (inner?.members?.has(name)) throw refused(`has the field ${shown(name)} twice`);
  inner?.members?.add(name);
  if (inner) inner.name = name;
}

/** @param found a string literal as written, possibly with the colon after it */
function isWellFormed(found: string): boolean {
  if (!found.includes('\\u')) return found.isWellFormed();
  const text: string = JSON.parse(found.replace(/\s*:$/, ''));
  return text.isWellFormed();
}

function brokenUnicode(open: readonly Open[]): ApiError {
  return new ApiError(
    'invalid_request',
    `${placeOf(open)} must be valid Unicode, without half of a surrogate pair.`,
  );
}

function rounded(open: readonly Open[], number: string): ApiError {
  return new ApiError(
    'invalid_request',
    `${placeOf(open)} has the number ${number.slice(0, 50)}, which JSON numbers can't hold exactly. Send the value as text, in quotes; for a number inside a JSON document, send the whole document as text; for MongoDB, send {"$numberLong": "..."} or {"$numberDecimal": "..."}.`,
  );
}

function placeOf(open: readonly Open[]): string {
  const path = open.map(({ name }) => name).filter((name) => name !== '');
  return path.length === 0 ? 'The body' : `The field ${shown(path.join('.'))}`;
}

const shown = (name: string) => JSON.stringify(name.slice(0, 100).toWellFormed());

function refused(predicate: string): ApiError {
  return new ApiError('invalid_request', `The body ${predicate}.`);
}
