/** Inserts the documents of one collection in order, in batches. The next batch is collected while one is sent. */
import { type MongoClient, MongoServerError } from 'mongodb';
import { DocumentSequence } from 'mongodb/lib/cmap/commands.js';
import { EngineError } from '../../engine-error.ts';
import { asStored, type CollectionEntry, type Namespace, nameOf, storedIn } from './format.ts';

/** Two batches are in memory at a time, plus the driver's copies. */
const batchBytes = 1024 * 1024;
/** The most documents that the server accepts at once: https://www.mongodb.com/docs/manual/reference/limits/ */
const batchDocuments = 100_000;

export class Filler {
  readonly #client: MongoClient;
  readonly #into: Namespace;
  readonly #options: Record<string, unknown>;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #count = 0;
  #sent: Promise<void> = Promise.resolve();

  /** @param version of the server that is filled */
  constructor(client: MongoClient, entry: Pick<CollectionEntry, 'type'> & Namespace, version: string) {
    this.#client = client;
    this.#into = storedIn(entry, version);
    this.#options = {
      ...asStored(entry, version),
      // A time series is left out: there the server manages the stored documents itself.
      ...(entry.type !== 'timeseries' && { bypassDocumentValidation: true }),
      ...(keepsZeroTimestamps(version) && { bypassEmptyTsReplacement: true }),
    };
  }

  /** @throws EngineError when a document of an earlier batch is refused */
  async take(bytes: Buffer, count: number): Promise<void> {
    if (this.#bytes + bytes.length > batchBytes || this.#count + count > batchDocuments) await this.#send();
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    this.#count += count;
  }

  async end(): Promise<void> {
    await this.#send();
    await this.#sent;
  }

  async #send(): Promise<void> {
    await this.#sent;
    if (this.#count === 0) return;
    this.#sent = insertRaw(this.#client, this.#into, this.#pieces, this.#options);
    this.#sent.catch(() => {}); // the next send reports the error
    this.#pieces = [];
    this.#bytes = 0;
    this.#count = 0;
  }
}

/**
 * The server replaces an empty timestamp with the time of the insertion, unless this option is set. Only newer servers know the option:
 * https://github.com/mongodb/mongo-tools/blob/master/common/db/empty_timestamp.go
 */
function keepsZeroTimestamps(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major >= 8) return true;
  const since = new Map([
    [7, 13],
    [6, 17],
    [5, 29],
  ]).get(major);
  return minor === 0 && since !== undefined && patch >= since;
}

const duplicateKey = 11_000;

/**
 * Inserts documents that are already bytes. The driver has no public function for this: its `insertMany` needs objects, and JavaScript
 * objects keep neither the order of names like "10" nor every type. This uses the driver's internal class for sending documents.
 * @param pieces each contains whole documents, one after the other
 * @throws EngineError when one of them is refused, with the server's words
 */
async function insertRaw(
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
