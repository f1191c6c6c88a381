/** BSON documents as bytes. What clients store passes through as it came: decoding it would reorder keys and bend numbers. */
import { BSONType, deserialize, onDemand } from 'bson';

interface RawElement {
  name: string;
  /** With its type and name, in the document's bytes. */
  start: number;
  end: number;
}

const lengthBytes = 4;
const terminator = Buffer.from([0]);

/** @throws BSONError when the bytes are no document */
export function namesOf(document: Buffer): string[] {
  return elementsOf(document).map(({ name }) => name);
}

/** The decoded value of a top-level field; undefined when there is none. Numbers of all types are JavaScript's. */
export function fieldOf(document: Buffer, name: string): unknown {
  const found = elementsOf(document).find((element) => element.name === name);
  return found && deserialize(documentOf([document.subarray(found.start, found.end)]))[name];
}

/** The same document without some of its top-level fields. */
export function without(document: Buffer, isDropped: (name: string) => boolean): Buffer {
  const kept = elementsOf(document).filter(({ name }) => !isDropped(name));
  return documentOf(kept.map(({ start, end }) => document.subarray(start, end)));
}

/** The same document with an array of documents at its end. */
export function withArray(document: Buffer, name: string, items: readonly Buffer[]): Buffer {
  const indexed = items.map((item, index) => elementOf(BSONType.object, String(index), item));
  const body = document.subarray(lengthBytes, document.length - terminator.length);
  return documentOf([body, elementOf(BSONType.array, name, documentOf(indexed))]);
}

/** The fields of both documents, of which none has the name of another one. */
export const joined = (first: Buffer, second: Buffer): Buffer =>
  documentOf([first, second].map((one) => one.subarray(lengthBytes, one.length - terminator.length)));

function elementsOf(document: Buffer): RawElement[] {
  return [...onDemand.parseToElements(document)].map(([, nameOffset, nameLength, offset, length]) => ({
    name: document.toString('utf8', nameOffset, nameOffset + nameLength),
    start: nameOffset - 1,
    end: offset + length,
  }));
}

const elementOf = (type: number, name: string, value: Buffer) =>
  Buffer.concat([Buffer.from([type]), Buffer.from(name), terminator, value]);

function documentOf(elements: readonly Buffer[]): Buffer {
  const length = Buffer.alloc(lengthBytes);
  const document = Buffer.concat([length, ...elements, terminator]);
  document.writeInt32LE(document.length, 0);
  return document;
}
