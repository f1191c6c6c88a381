/**
 * BSON as canonical Extended JSON and back, with the fields in their order: objects of JavaScript put names like "10" first, and the order
 * of an index's fields is what it is. https://github.com/mongodb/specifications/blob/master/source/extended-json/
 */
import { BSON } from 'mongodb';

const { EJSON, onDemand } = BSON;

/** Of a document, an array, or a value in one; documents are maps. */
export type Ordered = Map<string, Ordered> | Ordered[] | unknown;

/** Objects of one of these are a value; what else begins with `$` is an operator. */
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
/** A text of JSON, and the colon behind it when it is a name. */
const texts = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?/g;
/** No name that begins with it is a number to JavaScript. */
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

/** A document of this one value. */
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
