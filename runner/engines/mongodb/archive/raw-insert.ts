/**
 * Inserts documents that are already bytes. The driver has no public function for this: its `insertMany` needs objects, and JavaScript
 * objects keep neither the order of names like "10" nor every type. This uses the driver's internal class for sending documents.
 */
import { type MongoClient, MongoServerError } from 'mongodb';
import { DocumentSequence } from 'mongodb/lib/cmap/commands.js';
import { EngineError } from '../../engine-error.ts';
import { type Namespace, nameOf } from './format.ts';

const duplicateKey = 11_000;

/**
 * @param pieces each contains whole documents, one after the other
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
