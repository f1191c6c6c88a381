/**
 * Converts BSON to canonical Extended JSON and back and keeps the order of fields. JavaScript objects put names like "10" first, but the
 * order of an index's fields matters. https://github.com/mongodb/specifications/blob/master/source/extended-json/
 */
import { BSON } from 'mongodb';

const { EJSON, onDemand } = BSON;

/** A document, an array, or a value; documents are maps. */
export type Ordered = Map<string, Ordered> | Ordered[] | unknown;

/** An object with one of these names is a typed value. Other names that begin with `$` are operators. */
const typeWrappers = new Set([
  '$binary',
  '$code',
  '$date',
  '$dbPointer',
  '$maxKey',
  '$minKey',
  '$numberDecimal',
  '$numberDouble',
  '$numberInt',
  '$numberLong',
  '$oid',
  '$regularExpression',
  '$symbol',
  '$timestamp',
  '$undefined',
]);
/** A JSON string, and the colon after it when it is a field name. */
const texts = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?/g;
/** JavaScript never treats a name that begins with it as a number. */
const mark = '.';
const exact = { promoteValues: false, promoteBuffers: false, bsonRegExp: true } as const;

interface Element {
  name: string;
  type: number;
  value: Uint8Array;
}

/** The fields of a document as bytes. @throws BSONError */
export function elementsOf(document: Uint8Array): Element[] {
  return [...onDemand.parseToElements(document)].map(([type, nameAt, nameLength, at, length]) => ({
    name: Buffer.from(document.subarray(nameAt, nameAt + nameLength)).toString('utf8'),
    type,
    value: document.subarray(at, at + length),
  }));
}

export function toOrderedJson(document: Uint8Array): string {
  const fields = elementsOf(document).map((element) => `${JSON.stringify(element.name)}:${textOf(element)}`);
  return `{${fields.join(',')}}`;
}

function textOf({ type, value }: Element): string {
  if (type === BSON.BSONType.object) return toOrderedJson(value);
  if (type === BSON.BSONType.array) return `[${elementsOf(value).map(textOf).join(',')}]`;
  return EJSON.stringify(BSON.deserialize(alone(type, value), exact), { relaxed: false }).slice(
    '{"v":'.length,
    -1,
  );
}

/** Wraps the value in a document with one field. */
function alone(type: number, value: Uint8Array): Uint8Array {
  const head = Buffer.from([0, 0, 0, 0, type, 'v'.charCodeAt(0), 0]);
  const document = Buffer.concat([head, value, Buffer.from([0])]);
  document.writeInt32LE(document.length, 0);
  return document;
}

/** @throws SyntaxError, BSONError */
export function fromOrderedJson(text: string): Ordered {
  const marked = text.replace(texts, (whole, content: string, colon?: string) =>
    colon === undefined ? whole : `"${mark}${content}"${colon}`,
  );
  return readValue(JSON.parse(marked));
}

function readValue(read: unknown): Ordered {
  if (Array.isArray(read)) return read.map(readValue);
  if (typeof read === 'number') return EJSON.deserialize({ v: read }, { relaxed: false }).v;
  if (typeof read !== 'object' || read === null) return read;
  const fields = Object.entries(read);
  const [first = ''] = Object.keys(read);
  if (typeWrappers.has(first.slice(mark.length))) {
    return EJSON.deserialize({ v: unmarked(read) as BSON.Document }, { relaxed: false }).v;
  }
  return new Map(fields.map(([name, value]) => [name.slice(mark.length), readValue(value)]));
}

function unmarked(read: unknown): unknown {
  if (Array.isArray(read)) return read.map(unmarked);
  if (typeof read !== 'object' || read === null) return read;
  return Object.fromEntries(
    Object.entries(read).map(([name, value]) => [name.slice(mark.length), unmarked(value)]),
  );
}
