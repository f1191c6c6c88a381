/** Imports into MongoDB by the runner's own job: two real servers, of which one is only read. */
import type { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JobResult } from '../../../../protocol/job-report.ts';
import type { DeploySpec, ImportSpec } from '../../../../protocol/job-spec.ts';
import { createJobs } from '../../../../runner/jobs/index.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { contentsOfMongo } from '../../engines/mongodb-contents.ts';
import { mongoEnv, mongoFixture, mongoImage, withMongo } from '../../engines/mongodb-fixture.ts';
import { type DeployFixture, deployFixture } from '../../support/deploy-fixture.ts';
import { testId } from '../../support/docker-host.ts';
import { testContext } from '../../support/job-context.ts';

const sourceEnv = mongoEnv;
const targetEnv = { MONGO_INITDB_ROOT_USERNAME: 'owner', MONGO_INITDB_ROOT_PASSWORD: `it's "own"` };

let fixture: DeployFixture;
let target: DeploySpec;
let source: DeploySpec;

beforeAll(async () => {
  fixture = await deployFixture();
  const [first = 0, second = 0] = await freePorts(2);
  target = await deployed(first, targetEnv);
  source = await deployed(second, sourceEnv);
  await mongoFixture.fill({ host: '127.0.0.1', port: source.hostPort }, sourceEnv);
});
afterAll(() => fixture?.remove());
beforeEach(() =>
  mongo(target, async (client) => {
    for (const { name } of (await client.db('admin').command({ listDatabases: 1 })).databases)
      await client.db(name).dropDatabase();
  }),
);

async function deployed(hostPort: number, env: Record<string, string>): Promise<DeploySpec> {
  const database = {
    type: 'database',
    engine: 'mongodb',
    imageRef: mongoImage,
    publicAddress: '127.0.0.1',
    logicalReplication: false,
  } as const;
  const serviceId = testId('service');
  const serviceSlug = serviceId.replace('_', '-');
  const spec = fixture.spec({ serviceId, serviceSlug, source: database, hostPort });
  expect((await fixture.deploy(spec, { secrets: { env } })).result.outcome).toBe('succeeded');
  return spec;
}

const mongo = <T>(of: DeploySpec, use: (client: MongoClient) => Promise<T>) =>
  withMongo({ host: '127.0.0.1', port: of.hostPort }, of === source ? sourceEnv : targetEnv, use);

const { MONGO_INITDB_ROOT_USERNAME: user, MONGO_INITDB_ROOT_PASSWORD: secret } = sourceEnv;
const urlTo = ({ path = '', password = secret } = {}) =>
  `mongodb://${user}:${encodeURIComponent(password)}@127.0.0.1:${source.hostPort}/${path}`;

const importSpec = (more: Partial<ImportSpec> = {}): ImportSpec => ({
  kind: 'import',
  projectId: target.projectId,
  serviceId: target.serviceId,
  engine: 'mongodb',
  importId: testId('import'),
  source: 'mongodb-url',
  safetyBackupId: null,
  ...more,
});

type Ended = JobResult | { outcome: 'threw'; code?: string; message: string };
const run = (spec: ImportSpec, url: string, isAllowed = true): Promise<Ended> =>
  createJobs({ ...fixture.parts, allowPrivateImports: isAllowed })
    .import.run(spec, { env: {}, gitToken: null, sourceUrl: url }, testContext())
    .catch(({ code, message }: { code?: string; message: string }) => ({
      outcome: 'threw' as const,
      ...(code === undefined ? {} : { code }),
      message,
    }));

/** What somebody has put there, apart from who may do so. */
const dataOf = async (of: DeploySpec) => {
  const { 'admin.system.users': _, ...data } = await mongo(of, contentsOfMongo);
  return data;
};

describe('an import', () => {
  test('brings every database to the byte, with indexes and views, and changes nothing in the source', async () => {
    const before = await mongo(source, contentsOfMongo);
    const createUser = { createUser: 'kept', pwd: 'x', roles: ['root'] };
    await mongo(target, (client) => client.db('admin').command(createUser));
    expect(await run(importSpec(), urlTo())).toMatchObject({ outcome: 'succeeded' });
    expect(await dataOf(target)).toEqual(await dataOf(source));
    expect(await mongo(source, contentsOfMongo)).toEqual(before);
    // Users are those that this database had before.
    const users = await mongo(target, (client) =>
      client.db('admin').collection('system.users').find().toArray(),
    );
    expect(users.map(({ user }) => user)).toEqual(['kept', 'owner']);
    await mongo(target, (client) => client.db('admin').command({ dropUser: 'kept' }));
  });

  test('of one database brings that one, under its name, in the place of all that was there, which is kept', async () => {
    await mongo(target, (client) => client.db('old').collection('rows').insertOne({ v: 1 }));
    const url = urlTo({ path: 'other?authSource=admin' });
    const refused = await run(importSpec(), url);
    expect(refused).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/1 rows in 1 tables/),
    });
    const safetyBackupId = testId('backup');
    expect(await run(importSpec({ safetyBackupId }), url)).toMatchObject({
      outcome: 'succeeded',
      facts: { archive: { rows: 1, tables: 1 } },
    });
    const { 'other.with.dots': expected } = await dataOf(source);
    expect(await dataOf(target)).toEqual({ 'other.with.dots': expected });
  });

  test('of a database that is not there is refused, although it may replace what is there', async () => {
    await mongo(target, (client) => client.db('old').collection('rows').insertOne({ v: 1 }));
    const before = await dataOf(target);
    const url = urlTo({ path: 'mistyped?authSource=admin' });
    expect(await run(importSpec({ safetyBackupId: testId('backup') }), url)).toMatchObject({
      code: 'import_refused',
      message: expect.stringMatching(/^The source holds nothing \(database mistyped\): nothing was imported/),
    });
    expect(await dataOf(target)).toEqual(before);
  });

  test.each([
    [
      'a wrong password',
      () => urlTo({ password: 'nobody-knows' }),
      true,
      /can't be read: Authentication failed/,
    ],
    [
      'no server',
      () => 'mongodb://u:nobody-knows@127.0.0.1:9/x',
      true,
      /The source 127\.0\.0\.1 can't be read/,
    ],
    ['a private address', () => urlTo(), false, /private address/],
    ['a URL of something else', () => 'mongodb://u:nobody-knows@h/?x=1', true, /parameter "x"/],
  ])(
    'from %s is refused in words without credentials, and nothing was changed',
    async (_, url, isAllowed, words) => {
      const ended = await run(importSpec(), url(), isAllowed);
      expect(ended).toMatchObject({ code: 'import_refused', message: expect.stringMatching(words) });
      expect(JSON.stringify(ended)).not.toMatch(/nobody-knows/);
      expect(JSON.stringify(ended)).not.toContain(secret);
      expect(await dataOf(target)).toEqual({});
    },
  );
});
