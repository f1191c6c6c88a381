/** Reads pages of a collection. */
import type { MongoClient } from 'mongodb';
import type { DatabaseAnswerOf, DatabaseAskOf } from '../../../protocol/database.ts';
import { EngineError } from '../engine-error.ts';
import { commandTimeoutMs, exactValues } from './client.ts';
import { countOf, findCollection } from './collections.ts';
import { documentJson, fieldsOf, type JsonDocument } from './extended-json.ts';

/** A page is answered in full or refused. The limit is far more than an answer may hold. */
const pageBytesMax = 16_000_000;
/** The type of the `_id` that the server generates; shown for an empty collection. */
const generatedKeyType = 'objectId';

export async function pageOf(
  client: MongoClient,
  { table, limit, offset }: DatabaseAskOf<'rows'>,
): Promise<DatabaseAnswerOf<'rows'>> {
  const collection = await findCollection(client, table);
  const total = await countOf(collection);
  const cursor = collection
    .find({}, { ...exactValues, maxTimeMS: commandTimeoutMs })
    .sort({ _id: 1 })
    .skip(offset)
    .limit(limit);
  const documents: object[] = [];
  const rows: JsonDocument[] = [];
  let bytes = 0;
  for await (const document of cursor) {
    const row = documentJson(document);
    bytes += Buffer.byteLength(JSON.stringify(row));
    if (bytes > pageBytesMax) throw tooLarge();
    documents.push(document);
    rows.push(row);
  }
  return { columns: columnsOf(documents), rows, total };
}

function columnsOf(documents: object[]): DatabaseAnswerOf<'rows'>['columns'] {
  const fields = fieldsOf(documents);
  const key = fields.find(({ name }) => name === '_id') ?? { name: '_id', type: generatedKeyType };
  return [
    { ...key, primary: true },
    ...fields.filter(({ name }) => name !== '_id').map((field) => ({ ...field, primary: false })),
  ];
}

const tooLarge = () =>
  new EngineError(
    'invalid_request',
    `These documents have more than ${pageBytesMax / 1e6} MB: ask with a smaller limit, or for some fields with a query.`,
  );
