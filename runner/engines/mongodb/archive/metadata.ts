/** The metadata of a collection in an archive: its options and its indexes, in the form of the server's lists. */
import { BSON } from 'mongodb';
import { EngineError } from '../../engine-error.ts';
import type { CollectionEntry, Namespace } from './format.ts';
import { elementsOf, fromOrderedJson, toOrderedJson } from './ordered-json.ts';

type Fields = Map<string, unknown>;

export interface CollectionShape {
  options: Fields;
  indexes: Fields[];
}

/** The result of `listCollections` and `listIndexes`, with documents as bytes. */
export interface ListedCollection extends Namespace {
  type: CollectionEntry['type'];
  options: Uint8Array;
  indexes: readonly Uint8Array[];
  /** Hexadecimal digits; `undefined` if the server reports none. */
  uuid: string | undefined;
}

/** @throws EngineError when the text would not parse back to the same metadata */
export function entryOf(listed: ListedCollection): CollectionEntry {
  const { db, collection, type, options, indexes, uuid } = listed;
  const fields = [
    `"options":${toOrderedJson(options)}`,
    `"indexes":[${indexes.map(toOrderedJson).join(',')}]`,
    ...(uuid === undefined ? [] : [`"uuid":"${uuid}"`]),
    `"collectionName":${JSON.stringify(collection)}`,
    `"type":"${type}"`,
  ];
  const metadata = `{${fields.join(',')}}`;
  if (readsBack(metadata, listed)) return { db, collection, type, metadata };
  throw new EngineError(
    'unsupported',
    `An option or an index of ${db}.${collection} can't be written as Extended JSON: it has a field with the name of a type of Extended JSON.`,
  );
}

function readsBack(metadata: string, { options, indexes }: ListedCollection): boolean {
  try {
    const read = shapeOf({ metadata });
    const again = [read.options, ...read.indexes].map((one) => BSON.serialize(one));
    return Buffer.concat([options, ...indexes]).equals(Buffer.concat(again));
  } catch {
    return false;
  }
}

/** @throws EngineError when the text is not metadata */
export function shapeOf({ metadata }: Pick<CollectionEntry, 'metadata'>): CollectionShape {
  if (metadata === '') return { options: new Map(), indexes: [] };
  const read = readJson(metadata);
  const [options, indexes] = [fieldsIn(read)?.get('options'), fieldsIn(read)?.get('indexes')];
  const isAbsent = (value: unknown) => value === undefined || value === null;
  const listed = isAbsent(indexes) ? [] : indexes;
  const readIndexes = Array.isArray(listed) ? listed.map(fieldsIn) : [undefined];
  const readOptions = isAbsent(options) ? new Map() : fieldsIn(options);
  const isRead = (index: Fields | undefined) => index !== undefined;
  if (readOptions && readIndexes.every(isRead)) return { options: readOptions, indexes: readIndexes };
  throw unreadable();
}

const fieldsIn = (value: unknown): Fields | undefined => (value instanceof Map ? value : undefined);

function readJson(metadata: string): unknown {
  try {
    return fromOrderedJson(metadata);
  } catch (error) {
    throw unreadable(error);
  }
}

const unreadable = (cause?: unknown) =>
  new EngineError('unavailable', "The dump is damaged: the metadata of a collection can't be read.", {
    cause,
  });

/** Options about how the old server kept the collection, not about its data. */
const ofServerAlone = ['autoIndexId', 'recordIdsReplicated', 'changeStreamPreAndPostImages', 'temp', 'flags'];

/** The options for `create`. None of their names is a number, so an object keeps their order. */
export const creationOf = ({ options }: Pick<CollectionShape, 'options'>): Record<string, unknown> =>
  Object.fromEntries([...options].filter(([name]) => !ofServerAlone.includes(name)));

/** The indexes for `createIndexes`: all but those that are created with the collection. */
export function indexesToMake({ options, indexes }: CollectionShape): Fields[] {
  const hasCollation = options.has('collation') && !isSimple(options.get('collation'));
  return indexes
    .filter((index) => index.get('name') !== '_id_' && index.get('clustered') !== true)
    .map((index) => {
      const made = new Map([...index].filter(([name]) => name !== 'ns'));
      made.set('key', keyAsAsked(index));
      // An index without a collation would get the collection's.
      if (hasCollation && !made.has('collation')) made.set('collation', { locale: 'simple' });
      return made;
    });
}

/** The server lists a text index in its internal form, with the indexed fields among the weights. */
function keyAsAsked(index: Fields): unknown {
  const key = fieldsIn(index.get('key'));
  const weights = fieldsIn(index.get('weights'));
  if (!key?.has('_fts') || !weights) return index.get('key');
  const asked = [...key].flatMap(([name, kind]): [string, unknown][] => {
    if (name === '_fts') return [...weights.keys()].map((field) => [field, 'text']);
    return name === '_ftsx' ? [] : [[name, kind]];
  });
  return new Map(asked);
}

const isSimple = (collation: unknown) => fieldsIn(collation)?.get('locale') === 'simple';

/** A nested document as bytes; an empty document if there is none. */
export function documentIn(document: Uint8Array, name: string): Uint8Array {
  const found = elementsOf(document).find((element) => element.name === name);
  return found?.type === BSON.BSONType.object ? found.value : BSON.serialize({});
}
