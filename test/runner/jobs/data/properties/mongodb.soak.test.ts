/** The table of properties for MongoDB. */
import { BSON, GridFSBucket, type MongoClient } from 'mongodb';
import { type Database, useDatabases } from '../../../../support/docker/use-databases.ts';
import { contentsOfMongo } from '../../../engines/mongodb-contents.ts';
import { mongoEnv as env, mongoFixture, mongoImage, withMongo } from '../../../engines/mongodb-fixture.ts';
import { type Proofs, propertyContract } from './property-contract.ts';

const image = { engine: 'mongodb', image: mongoImage, env } as const;
const { server, elsewhere } = useDatabases({ server: image, elsewhere: image });

const mongo = <T>(of: Database, use: (client: MongoClient) => Promise<T>, login = env) =>
  withMongo({ host: '127.0.0.1', port: of.port }, login, use);
const asks = (use: (client: MongoClient) => Promise<unknown>) => (of: Database) => mongo(of, use);
type Counter = { _id: number; n: number };
const counters = (client: MongoClient) =>
  ['a_first', 'z_last'].map((name) => client.db('app').collection<Counter>(name));
const reader = { MONGO_INITDB_ROOT_USERNAME: 'reader', MONGO_INITDB_ROOT_PASSWORD: 'p: /@"' };

/** What the server stores of the user who is not the service's. The stand-in ignores filters here. */
async function stored(client: MongoClient, field: 'user' | 'roles'): Promise<unknown[]> {
  const users = await client.db('admin').collection('system.users').find().toArray();
  return users.filter(({ user }) => user === 'reader').map((user) => user[field]);
}

const proofs: Proofs = {
  'one moment of all data': {
    kept: asks(async (client) => {
      const [first, last] = await Promise.all(counters(client).map((one) => one.findOne()));
      return first?.n === last?.n;
    }),
  },
  'all databases of the server': {
    kept: asks(async (client) =>
      (await client.db('admin').admin().listDatabases()).databases.map(({ name }) => name).sort(),
    ),
  },
  'exact values': {
    kept: asks(async (client) => {
      const all = Object.entries(await contentsOfMongo(client));
      return all.filter(([name]) => !/^admin\.|^app\.(a_first|z_last)/.test(name));
    }),
  },
  'indexes, constraints, sequences': {
    kept: asks(async (client) => [
      await client.db('app').collection('indexed').listIndexes().toArray(),
      (await client.db('app').listCollections({ name: 'checked' }).toArray()).map(
        (one) => 'options' in one && one.options,
      ),
    ]),
  },
  'views, functions, triggers': {
    kept: asks(async (client) => [await client.db('app').collection('seen').find().toArray()]),
  },
  'users, roles, memberships': { kept: asks((client) => stored(client, 'user')) },
  passwords: {
    kept: (of) =>
      mongo(of, async (client) => (await client.db('admin').command({ connectionStatus: 1 })).ok, reader),
  },
  'grants on objects, default privileges': { kept: asks((client) => stored(client, 'roles')) },
  'replication slots, change streams': {
    // The stand-in has no change streams.
    listed: {
      file: 'test/runner/engines/mongodb/not-kept.test.ts',
      test: 'a backup names the collections that store images for change streams',
    },
  },
  // The stand-in has one parameter.
  'settings of the server': {
    listed: /^Parameters set with setParameter .*: minSnapshotHistoryWindowInSeconds\.$/,
  },
  'large objects': {
    kept: asks(async (client) => {
      const chunks: Buffer[] = [];
      for await (const chunk of new GridFSBucket(client.db('app')).openDownloadStreamByName('big'))
        chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString('hex');
    }),
  },
};

propertyContract({
  ...{ engine: 'mongodb', server, elsewhere, proofs },
  addToBoth: () =>
    mongo(server, (client) =>
      client.withSession((session) =>
        session.withTransaction(async () => {
          for (const one of counters(client))
            await one.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session });
        }),
      ),
    ),
  fill: async () => {
    await mongoFixture.fill({ host: '127.0.0.1', port: server.port }, env);
    await mongo(server, async (client) => {
      const db = client.db('app');
      for (const one of counters(client)) await one.insertOne({ _id: 1, n: 1 });
      await db.command({
        create: 'checked',
        validator: { a: { $exists: true } },
        validationLevel: 'moderate',
      });
      await db.collection('checked').insertOne({ a: 1 });
      await db.createCollection('seen', { viewOn: 'checked', pipeline: [{ $match: { a: 1 } }] });
      await db.collection('indexed').insertOne({ at: new BSON.Long(1) });
      await db.command({
        createIndexes: 'indexed',
        indexes: [
          { key: { at: 1 }, name: 'passing', expireAfterSeconds: 3_600 },
          { key: { p: -1, q: 1 }, name: 'part', unique: true, partialFilterExpression: { p: { $gt: 5 } } },
        ],
      });
      const upload = new GridFSBucket(db).openUploadStream('big');
      await new Promise<void>((resolve, reject) => {
        upload.once('finish', () => resolve()).once('error', reject);
        upload.end(Buffer.alloc(600_000, 7));
      });
      await client.db('admin').command({ setParameter: 1, minSnapshotHistoryWindowInSeconds: 400 });
      await client.db('admin').command({
        createUser: 'reader',
        pwd: reader.MONGO_INITDB_ROOT_PASSWORD,
        roles: ['root'],
      });
    });
  },
});
