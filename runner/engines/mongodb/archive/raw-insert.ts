/**
 * Inserts documents that are bytes already. The driver has no public way to send such: its `insertMany` would have to be given objects, and
 * objects of JavaScript keep neither the order of names like "10" nor every type. What it sends documents in itself is taken from inside it.
 */
import { type MongoClient, MongoServerError } from 'mongodb';
import { DocumentSequence } from 'mongodb/lib/cmap/commands.js';
import { EngineError } from '../../engine-error.ts';
import { type Namespace, nameOf } from './format.ts';

const duplicateKey = 11_000;

/**
 * @param pieces whole documents, one after the other, in each
 * @throws EngineError when one of them is refused, with the server's words
 */
export async function insertRaw(
  client: MongoClient,
  namespace: Namespace,
  pieces: readonly Uint8Array[],
  options: Record<string, unknown>,
): Promise<void> {
  const documents = new DocumentSequence('documents');
  for (const bytes of pieces) documents.push({}, bytes);
  const reply = await client.db(namespace.db).command({
    insert: namespace.collection,
    documents,
    ordered: true,
    writeConcern: { w: 1, j: true },
    ...options,
  });
  const [refused] = reply.writeErrors ?? [];
  const said = refused ?? reply.writeConcernError;
  if (!said) return;
  throw new EngineError(
    Number(said.code) === duplicateKey ? 'conflict' : 'unavailable',
    `A document of ${nameOf(namespace)} was refused: ${new MongoServerError(said).message}`,
  );
}
