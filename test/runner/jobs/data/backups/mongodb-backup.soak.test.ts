/** Backups and restores of MongoDB by the runner's own jobs: a new volume and a switch of containers, with the real server. */
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { BSON, type MongoClient } from 'mongodb';
import { beforeAll, expect, test } from 'vitest';
import { readArchive } from '../../../../../runner/engines/mongodb/archive/read-archive.ts';
import { type Database, deployDatabase, useDatabase } from '../../../../support/docker/use-databases.ts';
import { contentsOfMongo } from '../../../engines/mongodb-contents.ts';
import { mongoEnv, mongoFixture, mongoImage, withMongo } from '../../../engines/mongodb-fixture.ts';
import { backupContract } from './backup-contract.ts';

const image = { engine: 'mongodb', image: mongoImage } as const;
const database = useDatabase({ ...image, env: mongoEnv });
type Contents = Awaited<ReturnType<typeof everyData>>;
let whole: Contents;

beforeAll(async () => {
  await mongoFixture.fill({ host: '127.0.0.1', port: database.port }, mongoEnv);
  await mongo(fillMore);
  await setAnswer(42);
  whole = await everyData();
});

const mongo = <T>(
  use: (client: MongoClient) => Promise<T>,
  of: Pick<Database, 'port'> = database,
  login = mongoEnv,
) => withMongo({ host: '127.0.0.1', port: of.port }, login, use);

const oddKeys = new Map([
  ['2', 1],
  ['10', -1],
]);

/** What this server can hold beyond the engine's own fixture. */
async function fillMore(client: MongoClient): Promise<void> {
  const db = client.db('shöp');
  await db.command({
    create: 'checked',
    validator: { $jsonSchema: { bsonType: 'object', required: ['a'] } },
    validationLevel: 'moderate',
    validationAction: 'error',
  });
  await db.command({
    insert: 'checked',
    documents: [
      { _id: 1, a: 1 },
      { _id: 2, unlike: true },
    ],
    bypassDocumentValidation: true,
  });
  await db.collection('indexed').insertMany([
    // The order of names that are numbers, and what JavaScript's objects know nothing of.
    new Map<string, unknown>([
      ['_id', 1],
      ['10', 'b'],
      ['2', 'a'],
    ]),
    { _id: 2, at: new BSON.Timestamp({ t: 0, i: 0 }), g: { type: 'Point', coordinates: [13.4, 52.5] } },
  ] as never[]);
  await db.command({
    createIndexes: 'indexed',
    indexes: [
      { key: oddKeys, name: 'ordered', unique: true, sparse: true },
      { key: { at: 1 }, name: 'passing', expireAfterSeconds: 3_600 },
      { key: { p: -1, q: 1 }, name: 'part', partialFilterExpression: { p: { $gt: 5 } } },
      { key: { s: 'text' }, name: 'words', weights: { s: 3 }, default_language: 'german' },
      { key: { h: 'hashed' }, name: 'hashed' },
      { key: { '$**': 1 }, name: 'wild' },
      { key: { g: '2dsphere' }, name: 'places' },
    ],
  });
  await db.collection('large').insertOne({ _id: 1, bytes: Buffer.alloc(15_900_000, 7) } as never);
  await db.createCollection('seen', { viewOn: 'checked', pipeline: [{ $match: { a: { $exists: true } } }] });
  await client
    .db('admin')
    .collection('mine')
    .insertOne({ _id: 1 } as never);
  await client.db('admin').command({ createUser: reader.user, pwd: reader.password, roles: ['root'] });
}

/** Who may sign in, besides the root user. */
const reader = { user: 'reader', password: 'p: /@"' };
const readerSignsIn = (of: Pick<Database, 'port'>) =>
  mongo((client) => client.db('admin').command({ connectionStatus: 1 }), of, {
    MONGO_INITDB_ROOT_USERNAME: reader.user,
    MONGO_INITDB_ROOT_PASSWORD: reader.password,
  });

/** The root user has another salt in each server. */
async function everyData(of: Pick<Database, 'port'> = database, login = mongoEnv) {
  const { 'admin.system.users': _, ...data } = await mongo(contentsOfMongo, of, login);
  return data;
}
const answers = (client: MongoClient) => client.db('other').collection<Answer>('answers');
const setAnswer = (value: number) =>
  mongo((client) => answers(client).replaceOne({ _id: 'answer' }, { value }, { upsert: true }));
type Answer = { _id: string; value: number };

backupContract({
  database,
  magic: Buffer.from([0x1f, 0x8b]),
  async counts() {
    const collections = Object.values(whole).filter(({ type }) => type !== 'view');
    return { tables: collections.length, rows: collections.flatMap(({ documents }) => documents).length };
  },
  answer: async () =>
    (await mongo((client) => answers(client).find().toArray())).map(({ value }) => value).join(),
  setAnswer,
  damage: () =>
    mongo(async (client) => {
      await client.db('shöp').dropDatabase();
      await client.db('test').collection('awkward').deleteMany({});
      await client.db('admin').collection('mine').drop();
      await client.db('admin').command({ dropUser: reader.user });
      await client.db('since').collection<Answer>('new').insertOne({ _id: 'new', value: 1 });
    }),
  async expectWhole() {
    expect(await everyData()).toEqual(whole);
    await readerSignsIn(database);
  },
  deaths: {
    changesNothing: [
      ['while it loads', 'stop', 1],
      ['when the old container has stopped', 'rename', 1],
      ['when no container has the name', 'rename', 2],
    ],
    starts: 2,
  },
});

test('a backup is an archive of mongodump behind gzip that names every collection', async () => {
  const { id } = await database.backUp();
  const names: string[] = [];
  for await (const part of readArchive(createReadStream(database.pathOf(id)).pipe(createGunzip())))
    if (part.type === 'end') names.push(part.of);
  expect(names.sort()).toEqual([...Object.keys(whole), 'admin.system.users'].sort());
});

test('a restore into another service brings data and users, and leaves its root user alone', async () => {
  const root = { MONGO_INITDB_ROOT_USERNAME: reader.user, MONGO_INITDB_ROOT_PASSWORD: 'own' };
  const other = await deployDatabase(database.fixture, { ...image, env: root });
  expect(await other.run(other.restoreSpec(await database.backUp()))).toMatchObject({ outcome: 'succeeded' });
  expect(await everyData(other, root)).toEqual(await everyData());
  const { 'admin.system.users': users } = await mongo(contentsOfMongo, other, root);
  // The one of that name keeps its password, and root of the other service does not come along.
  expect(users?.documents).toHaveLength(1);
  await expect(readerSignsIn(other)).rejects.toThrow(/Authentication failed/);
});
