/** MongoDB from archives that a user brings, by the runner's own job and the real server. */
import { gunzipSync } from 'node:zlib';
import type { MongoClient } from 'mongodb';
import { beforeAll, expect, vi } from 'vitest';
import { useDatabase } from '../../../../support/docker/use-databases.ts';
import { contentsOfMongo } from '../../../engines/mongodb-contents.ts';
import { mongoEnv, mongoImage, withMongo } from '../../../engines/mongodb-fixture.ts';
import { mongodbNumbers } from '../../../engines/numbers/mongodb-numbers.ts';
import { storedNumbers } from '../../../engines/numbers/numbers-contract.ts';
import { fileImportContract, flipped } from './file-import-contract.ts';

// An import starts the server three times, and the stand-in for it takes its time on a busy machine.
vi.setConfig({ testTimeout: 400_000 });

const database = useDatabase({ engine: 'mongodb', image: mongoImage, env: mongoEnv });
const numbers = storedNumbers(mongodbNumbers, { engine: 'mongodb', env: mongoEnv }, () => database.port);
/** With a user that does not exist any more. */
let archive: Buffer;

beforeAll(async () => {
  await mongo(async (client) => {
    await client.db('shop').collection('kept').insertOne({ answer: 42 });
    await client.db('shop').collection('kept').createIndex({ answer: 1 }, { unique: true, name: 'once' });
    await client.db('shop').createCollection('seen', { viewOn: 'kept', pipeline: [] });
    await client.db('admin').command({ createUser: 'stranger', pwd: 'theirs', roles: ['root'] });
  });
  await mongo((client) => client.db('test').createCollection('numbers'));
  await numbers.put();
  archive = await database.backUpBytes();
  await mongo(async (client) => {
    await client.db('admin').command({ dropUser: 'stranger' });
    await client.db('admin').command({ createUser: 'own', pwd: 'kept', roles: ['root'] });
  });
});

const mongo = <T>(use: (client: MongoClient) => Promise<T>) =>
  withMongo({ host: '127.0.0.1', port: database.port }, mongoEnv, use);

fileImportContract({
  database,
  files: [
    ['an archive made with --gzip', () => archive],
    ['an archive made without --gzip', () => gunzipSync(archive)],
  ],
  empty: () =>
    mongo((client) => Promise.all(['shop', 'mine', 'test'].map((name) => client.db(name).dropDatabase()))),
  putMine: () => mongo((client) => client.db('mine').collection('mine').insertOne({ n: 1 })),
  async holds() {
    const { 'admin.system.users': _, ...data } = await mongo(contentsOfMongo);
    return Object.keys(data)
      .filter((name) => !name.includes('.system.'))
      .sort();
  },
  mine: ['mine.mine'],
  imported: ['shop.kept', 'shop.seen', 'test.numbers'],
  expectImported: () =>
    mongo(async (client) => {
      const shop = client.db('shop');
      const seen = await shop.collection('seen').findOne({}, { projection: { _id: 0 } });
      expect(seen).toEqual({ answer: 42 });
      await numbers.expectSame();
      const indexes = await shop.collection('kept').indexes();
      expect(indexes).toContainEqual(expect.objectContaining({ name: 'once', unique: true }));
      const users = await client.db('admin').collection('system.users').find().toArray();
      const own = [mongoEnv.MONGO_INITDB_ROOT_USERNAME, 'own'];
      const names = users.map(({ user }) => String(user)).toSorted();
      expect(names, 'own users stay, those of the file do not come').toEqual(own.toSorted());
    }),
  refused: [
    ['a text', () => Buffer.from('{"answer": 42}\n'), /an archive of mongodump: make it with/],
    ['a tar', () => Buffer.concat([Buffer.alloc(257), Buffer.from('ustar')]), /is a tar, but must be/],
    ['an archive that was cut', () => archive.subarray(0, -20), /The file is damaged/],
    [
      'an unpacked archive that was cut',
      () => gunzipSync(archive).subarray(0, -20),
      /damaged|not whole|ends/,
    ],
    ['an archive with a bit flipped', () => flipped(archive), /damaged/],
  ],
});
