/** Imports into MongoDB by the runner's own job: two real servers, of which one is only read. */
import type { MongoClient } from 'mongodb';
import { beforeAll, expect, test } from 'vitest';
import { testId } from '../../../../support/docker/docker-host.ts';
import { type Database, useDatabases } from '../../../../support/docker/use-databases.ts';
import { contentsOfMongo } from '../../../engines/mongodb-contents.ts';
import {
  mongoFixture,
  mongoImage,
  mongoEnv as sourceEnv,
  withMongo,
} from '../../../engines/mongodb-fixture.ts';
import { importContract } from './import-contract.ts';

const mongodb = { engine: 'mongodb', image: mongoImage } as const;
const targetEnv = { MONGO_INITDB_ROOT_USERNAME: 'owner', MONGO_INITDB_ROOT_PASSWORD: `it's "own"` };
const { target, source } = useDatabases({
  source: { ...mongodb, env: sourceEnv },
  target: { ...mongodb, env: targetEnv },
});
let before: Awaited<ReturnType<typeof contentsOfMongo>>;

beforeAll(async () => {
  await mongoFixture.fill({ host: '127.0.0.1', port: source.port }, sourceEnv);
  before = await mongo(source, contentsOfMongo);
  const createUser = { createUser: 'kept', pwd: 'x', roles: ['root'] };
  await mongo(target, (client) => client.db('admin').command(createUser));
});

const mongo = <T>(of: Database, use: (client: MongoClient) => Promise<T>) =>
  withMongo({ host: '127.0.0.1', port: of.port }, of === source ? sourceEnv : targetEnv, use);

const { MONGO_INITDB_ROOT_USERNAME: user, MONGO_INITDB_ROOT_PASSWORD: secret } = sourceEnv;
const urlTo = ({ host = '127.0.0.1', path = '', password = secret } = {}) =>
  `mongodb://${user}:${encodeURIComponent(password)}@${host}:${source.port}/${path}`;
const spec = (more = {}) => target.importSpec({ source: 'mongodb-url', ...more });

/** What somebody has put there, apart from who may do so. */
const dataOf = async (of: Database) => {
  const { 'admin.system.users': _, ...data } = await mongo(of, contentsOfMongo);
  return data;
};
const holds = async () => Object.keys(await dataOf(target)).sort();
const putRows = (...rows: { v: number }[]) =>
  mongo(target, (client) => client.db('old').collection('rows').insertMany(rows));

importContract({
  ...{ target, source: 'mongodb-url', url: urlTo, holds },
  empty: () =>
    mongo(target, async (client) => {
      for (const { name } of (await client.db('admin').command({ listDatabases: 1 })).databases)
        await client.db(name).dropDatabase();
    }),
  putMine: () => putRows({ v: 1 }, { v: 2 }),
  mine: ['old.rows'],
  imported: ['other.with.dots'],
  async expectImported() {
    expect(await dataOf(target)).toEqual(await dataOf(source));
    expect(await mongo(source, contentsOfMongo)).toEqual(before);
    const users = await mongo(target, (client) =>
      client.db('admin').collection('system.users').find().toArray(),
    );
    expect(
      users.map(({ user }) => user),
      'users are those of before',
    ).toEqual(['kept', 'owner']);
  },
  refusedHosts: [],
  wrongPassword: { code: 'import_refused', words: /can't be read: Authentication failed/ },
  emptyUrl: () => urlTo({ path: 'mistyped?authSource=admin' }),
});

test('an import of one database brings that one, under its name, in the place of all that was there', async () => {
  await putRows({ v: 1 });
  const sourceUrl = urlTo({ path: 'other?authSource=admin' });
  const replacing = spec({ safetyBackupId: testId('backup') });
  expect(await target.run(replacing, { sourceUrl })).toMatchObject({
    outcome: 'succeeded',
    facts: { archive: { rows: 1, tables: 1 } },
  });
  const { 'other.with.dots': expected } = await dataOf(source);
  expect(await dataOf(target)).toEqual({ 'other.with.dots': expected });
});

test.each([
  [
    'a source without a server',
    'mongodb://u:nobody-knows@127.0.0.1:9/x',
    /The source 127\.0\.0\.1 can't be read/,
  ],
  ['a URL with an unknown parameter', 'mongodb://u:nobody-knows@h/?x=1', /parameter "x"/],
])('%s is refused without its credentials, and nothing is changed', async (_, sourceUrl, words) => {
  const ended = await target.run(spec(), { sourceUrl });
  expect(ended).toMatchObject({ code: 'import_refused', message: expect.stringMatching(words) });
  expect(JSON.stringify(ended)).not.toMatch(/nobody-knows/);
  expect(await holds()).toEqual([]);
});
