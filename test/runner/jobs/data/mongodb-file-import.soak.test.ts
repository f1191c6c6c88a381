/** MongoDB from archives that a user brings, by the runner's own job and the real server. */
import { gunzipSync } from 'node:zlib';
import type { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { mongoEnv, mongoImage, withMongo } from '../../engines/mongodb-fixture.ts';
import { testId } from '../../support/docker-host.ts';
import { type FileImportBench, fileImportBench, flipped } from '../../support/file-import.ts';
import { testContext } from '../../support/job-context.ts';

// An import starts the server three times, and the stand-in for it takes its time on a busy machine.
vi.setConfig({ testTimeout: 400_000 });

let bench: FileImportBench;
/** With a user that is not there any more. */
let archive: Buffer;

beforeAll(async () => {
  bench = await fileImportBench('mongodb', mongoImage, mongoEnv);
  await mongo(async (client) => {
    await client.db('shop').collection('kept').insertOne({ answer: 42 });
    await client.db('shop').collection('kept').createIndex({ answer: 1 }, { unique: true, name: 'once' });
    await client.db('shop').createCollection('seen', { viewOn: 'kept', pipeline: [] });
    await client.db('admin').command({ createUser: 'stranger', pwd: 'theirs', roles: ['root'] });
  });
  archive = await bench.backUp();
  await mongo(async (client) => {
    await client.db('admin').command({ dropUser: 'stranger' });
    await client.db('admin').command({ createUser: 'own', pwd: 'kept', roles: ['root'] });
  });
});
afterAll(() => bench?.fixture.remove());
beforeEach(() =>
  mongo(
    async (client) =>
      void (await Promise.all(['shop', 'mine'].map((name) => client.db(name).dropDatabase()))),
  ),
);

const mongo = <T>(use: (client: MongoClient) => Promise<T>) =>
  withMongo({ host: '127.0.0.1', port: bench.live.hostPort }, mongoEnv, use);

const users = () =>
  mongo(async (client) => {
    const found = await client.db('admin').collection('system.users').find().toArray();
    return found.map(({ user }) => String(user)).toSorted();
  });
const insertMine = () => mongo((client) => client.db('mine').collection('mine').insertOne({ n: 1 }));

test.each([
  ['as it is made with --gzip', () => archive],
  ['as it is made without', () => gunzipSync(archive)],
])('an archive %s fills the database; its users do not come, those that are there stay', async (_, file) => {
  expect(await bench.run(file())).toMatchObject({ outcome: 'succeeded' });
  await mongo(async (client) => {
    const shop = client.db('shop');
    expect(await shop.collection('seen').findOne({}, { projection: { _id: 0 } })).toEqual({ answer: 42 });
    const indexes = await shop.collection('kept').indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ name: 'once', unique: true }));
  });
  expect(await users()).toEqual([mongoEnv.MONGO_INITDB_ROOT_USERNAME, 'own'].toSorted());
  expect(await bench.files()).toEqual([]);
});

test('into what holds documents it is refused; with "replace" they are a backup', async () => {
  await insertMine();
  expect(await bench.run(archive)).toMatchObject({ code: 'import_refused' });
  const done = await bench.run(archive, { safetyBackupId: testId('backup') });
  expect(done).toMatchObject({ outcome: 'succeeded', facts: { archive: { tables: 1, rows: 1 } } });
  expect(await mongo((client) => client.db('mine').collection('mine').countDocuments())).toBe(0);
});

test.each([
  ['a text', () => Buffer.from('{"answer": 42}\n'), /what is taken is an archive of mongodump: make it with/],
  ['a tar', () => Buffer.concat([Buffer.alloc(257), Buffer.from('ustar')]), /is a tar; what is taken/],
  ['an archive that was cut', () => archive.subarray(0, -20), /The file is damaged/],
  ['an unpacked archive that was cut', () => gunzipSync(archive).subarray(0, -20), /damaged|not whole|ends/],
  ['an archive with a bit flipped', () => flipped(archive), /damaged/],
])('%s is refused before anything is touched', async (_, file, why) => {
  await insertMine();
  const before = [await bench.things(), await bench.files()];
  const context = testContext();
  expect(await bench.run(file(), { safetyBackupId: testId('backup') }, context)).toMatchObject({
    code: expect.stringMatching(/^import_/),
    message: expect.stringMatching(why),
  });
  expect(new Set(context.phases.map(({ phase }) => phase))).toEqual(new Set(['fetch']));
  expect([await bench.things(), await bench.files()]).toEqual(before);
});
