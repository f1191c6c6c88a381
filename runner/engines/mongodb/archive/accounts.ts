/**
 * Users and roles. They are stored in `admin`, where nothing can insert them directly. They are inserted into temporary collections, and
 * the server merges them with the command that exists for `mongorestore`. Accounts that already exist are kept.
 */
import { BSON, type MongoClient } from 'mongodb';
import { EngineError } from '../../engine-error.ts';
import { Filler } from './filler.ts';
import { documentsIn } from './read-archive.ts';

const temporary = {
  'system.users': { collection: 'longshore_restored_users', parameter: 'tempUsersCollection' },
  'system.roles': { collection: 'longshore_restored_roles', parameter: 'tempRolesCollection' },
} as const;
type Kind = keyof typeof temporary;

export class Accounts {
  readonly #client: MongoClient;
  readonly #rootId: string;
  readonly #ids: Record<Kind, string[]> = { 'system.users': [], 'system.roles': [] };

  constructor(client: MongoClient, rootUser: string) {
    this.#client = client;
    this.#rootId = `admin.${rootUser}`;
  }

  /** @returns undefined for a collection that the server manages itself */
  targetFor(collection: string) {
    if (collection !== 'system.users' && collection !== 'system.roles') return undefined;
    const ids = this.#ids[collection];
    const into = { db: 'admin', collection: temporary[collection].collection, type: 'collection' } as const;
    const filler = new Filler(this.#client, into, '0.0.0');
    return {
      take: async (bytes: Buffer) => {
        for (const document of documentsIn(bytes)) {
          const id = String(BSON.deserialize(document)._id);
          if (id === this.#rootId) continue;
          ids.push(id);
          await filler.take(document, 1);
        }
      },
      end: () => filler.end(),
    };
  }

  /** @throws EngineError when the server did not accept one of them */
  async merge(): Promise<void> {
    const kinds = (Object.keys(temporary) as Kind[]).filter((kind) => this.#ids[kind].length > 0);
    if (kinds.length === 0) return;
    const admin = this.#client.db('admin');
    const from = kinds.map((kind) => [temporary[kind].parameter, `admin.${temporary[kind].collection}`]);
    await admin.command({
      _mergeAuthzCollections: 1,
      ...Object.fromEntries(from),
      db: '',
      drop: false,
      writeConcern: { w: 'majority' },
    });
    for (const kind of kinds) {
      await this.#assertTaken(kind);
      await admin.dropCollection(temporary[kind].collection);
    }
  }

  async #assertTaken(kind: Kind): Promise<void> {
    const found = await this.#client
      .db('admin')
      .collection<{ _id: string }>(kind)
      .find({}, { projection: { _id: 1 } })
      .toArray();
    const there = new Set(found.map(({ _id }) => _id));
    const missing = this.#ids[kind].filter((id) => !there.has(id));
    if (missing.length === 0) return;
    const words = kind === 'system.users' ? 'users' : 'roles';
    throw new EngineError('unavailable', `The server did not accept these ${words}: ${missing.join(', ')}.`);
  }
}
