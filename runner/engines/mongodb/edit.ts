/** Changes to one document. */
import type { MongoClient } from 'mongodb';
import type { DatabaseAnswerOf, DatabaseAskOf } from '../../../protocol/database.ts';
import { EngineError } from '../engine-error.ts';
import type { Json } from '../row.ts';
import { commandTimeoutMs } from './client.ts';
import { findCollection } from './collections.ts';
import { fromJson, type JsonDocument, toJson } from './extended-json.ts';

const maxTimeMS = commandTimeoutMs;

export async function insertDocument(
  client: MongoClient,
  { table, values }: DatabaseAskOf<'insert'>,
): Promise<DatabaseAnswerOf<'insert'>> {
  const document = fieldsFrom(values);
  const collection = await findCollection(client, table);
  const { insertedId } = await collection.insertOne(document, { maxTimeMS });
  return { id: keyText(insertedId) };
}

/** Sets these fields and leaves all others unchanged. */
export async function updateDocument(
  client: MongoClient,
  { table, primaryKey, values }: DatabaseAskOf<'update'>,
): Promise<DatabaseAnswerOf<'update'>> {
  const filter = keyFilter(primaryKey);
  const fields = fieldsFrom(values);
  if (Object.keys(fields).length === 0)
    throw new EngineError('invalid_request', '"values" names no field to change.');
  const collection = await findCollection(client, table);
  const { matchedCount } = await collection.updateOne(filter, { $set: fields }, { maxTimeMS });
  if (matchedCount === 0) throw noDocument();
  return {};
}

export async function deleteDocument(
  client: MongoClient,
  { table, primaryKey }: DatabaseAskOf<'delete'>,
): Promise<DatabaseAnswerOf<'delete'>> {
  const filter = keyFilter(primaryKey);
  const collection = await findCollection(client, table);
  const { deletedCount } = await collection.deleteOne(filter, { maxTimeMS });
  if (deletedCount === 0) throw noDocument();
  return {};
}

/** `$eq` makes every value a plain value: `{"_id": {"$gt": ""}}` would be a condition. */
function keyFilter(primaryKey: JsonDocument): object {
  const { _id: key, ...others } = primaryKey;
  if (key === undefined || Object.keys(others).length > 0)
    throw new EngineError('invalid_request', '"primaryKey" of a document is its "_id", and nothing else.');
  return { _id: { $eq: fromJson(key, '"primaryKey._id"') } };
}

/** Refuses names that the server would interpret: a dot makes a path into a document, a dollar sign an operator. */
function fieldsFrom(values: JsonDocument): Record<string, unknown> {
  for (const name of Object.keys(values)) {
    if (name.includes('.') || name.startsWith('$') || name === '' || name.includes('\0')) {
      throw new EngineError(
        'invalid_request',
        `The field ${JSON.stringify(name)} can't be set by this name (empty, with a dot, or a leading $): write the whole field that contains it, or use a query.`,
      );
    }
  }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, fromJson(value, `"values.${name}"`)]),
  );
}

/** A string or a number stays unchanged; any other key becomes its Extended JSON text. */
function keyText(key: unknown): string | number | null {
  const json: Json = toJson(key);
  return typeof json === 'string' || typeof json === 'number' || json === null ? json : JSON.stringify(json);
}

const noDocument = () =>
  new EngineError(
    'not_found',
    'No document has this "_id". A text, a number and {"$oid": "..."} are different keys.',
  );
