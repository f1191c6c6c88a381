/** Backups and restores of MongoDB by the runner's own jobs: a new volume and a switch of containers, with the real server. */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createGunzip } from 'node:zlib';
import { BSON, type MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ArchiveFacts, JobResult } from '../../../../protocol/job-report.ts';
import type { BackupSpec, DeploySpec, RestoreSpec } from '../../../../protocol/job-spec.ts';
import { systemClock } from '../../../../runner/base/clock.ts';
import type { DockerHost } from '../../../../runner/docker/client.ts';
import { readArchive } from '../../../../runner/engines/mongodb/archive/read-archive.ts';
import { reconcile } from '../../../../runner/host/reconcile.ts';
import { removeOldData } from '../../../../runner/jobs/data/remove-old-data.ts';
import { createJobs } from '../../../../runner/jobs/index.ts';
import { backupPath } from '../../../../runner/storage/backup-files.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { contentsOfMongo } from '../../engines/mongodb-contents.ts';
import { mongoEnv, mongoFixture, mongoImage, withMongo } from '../../engines/mongodb-fixture.ts';
import { type DeployFixture, deployFixture, stable } from '../../support/deploy-fixture.ts';
import { testId } from '../../support/docker-host.ts';
import { flipByte } from '../../support/flip-byte.ts';
import { type TestContext, testContext } from '../../support/job-context.ts';

const env = mongoEnv;
const secrets = { env: {}, gitToken: null };

let fixture: DeployFixture;
let live: DeploySpec;

beforeAll(async () => {
  fixture = await deployFixture();
  live = await deployed();
  await mongoFixture.fill({ host: '127.0.0.1', port: live.hostPort }, env);
  await mongo(fillMore);
});
afterAll(() => fixture?.remove());

async function deployed(login: Record<string, string> = env): Promise<DeploySpec> {
  const [hostPort = 0] = await freePorts(1);
  const serviceId = testId('service');
  const spec = fixture.spec({
    serviceId,
    serviceSlug: serviceId.replace('_', '-'),
    source: {
      type: 'database',
      engine: 'mongodb',
      imageRef: mongoImage,
      publicAddress: '127.0.0.1',
      logicalReplication: false,
    },
    hostPort,
  });
  expect((await fixture.deploy(spec, { secrets: { env: login } })).result.outcome).toBe('succeeded');
  return spec;
}

const mongo = <T>(use: (client: MongoClient) => Promise<T>, of = live, login = env) =>
  withMongo({ host: '127.0.0.1', port: of.hostPort }, login, use);

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
const readerSignsIn = (of: DeploySpec) =>
  mongo((client) => client.db('admin').command({ connectionStatus: 1 }), of, {
    MONGO_INITDB_ROOT_USERNAME: reader.user,
    MONGO_INITDB_ROOT_PASSWORD: reader.password,
  });

const everything = () => mongo(contentsOfMongo);
/** The root user has another salt in each server. */
const everyData = async (of = live, login?: typeof env) => {
  const { 'admin.system.users': _, ...data } = await mongo(contentsOfMongo, of, login);
  return data;
};

const outcome = (running: Promise<JobResult>) =>
  running.catch((error: { code?: string; message: string }) => ({
    outcome: 'threw' as const,
    ...error,
    message: error.message,
  }));

const of = (spec = live) => ({
  projectId: spec.projectId,
  serviceId: spec.serviceId,
  engine: 'mongodb' as const,
});
const pathOf = (backupId: string) => backupPath(fixture.host.dataDirectory, live.serviceId, backupId);
const filesThere = () => readdir(dirname(pathOf('x'))).catch(() => []);

async function backedUp(): Promise<{ id: string; facts: ArchiveFacts }> {
  const backupId = testId('backup');
  const spec: BackupSpec = { kind: 'backup', ...of(), backupId, toDisk: true, remoteKey: null };
  const result = await createJobs(fixture.parts).backup.run(spec, secrets, testContext());
  if (!result.facts.archive) throw new Error(`no backup: ${JSON.stringify(result)}`);
  return { id: backupId, facts: result.facts.archive };
}

const restoreSpec = (
  { id, facts }: Awaited<ReturnType<typeof backedUp>>,
  into: DeploySpec = live,
): RestoreSpec => ({
  kind: 'restore',
  ...of(into),
  restoreId: testId('restore'),
  backup: { id, serviceId: live.serviceId, ...facts },
  safetyBackupId: testId('backup'),
});
const restore = (spec: RestoreSpec, context: TestContext = testContext(), docker = fixture.parts.docker) =>
  outcome(createJobs({ ...fixture.parts, docker }).restore.run(spec, secrets, context));
const recover = (spec: RestoreSpec) =>
  outcome(createJobs(fixture.parts).restore.recover(spec, {}, testContext()));

const answers = (of = live) =>
  mongo((client) => client.db('other').collection('answers').find().toArray(), of);
const setAnswer = (value: number) =>
  mongo((client) =>
    client
      .db('other')
      .collection('answers')
      .replaceOne({ _id: 'answer' as never }, { value }, { upsert: true }),
  );
const thereIs = async () => ({
  containers: (await fixture.host.leftovers()).filter(
    (name) => name.includes(`${live.serviceId}-`) && !/dep_/.test(name),
  ),
  volumes: (await fixture.host.volumes()).filter((name) => name.includes(live.serviceId)).length,
});
const alone = () => ({ containers: [stable(live)], volumes: 1 });
const forgetOld = async () => {
  for (const { serviceId, engine, suffix } of fixture.oldData.splice(0)) {
    const due = { serviceId, engine, suffix, dueAt: 0 };
    await removeOldData(
      { docker: fixture.parts.docker, clock: systemClock },
      due,
      AbortSignal.timeout(60_000),
    );
  }
};

beforeEach(async () => {
  await forgetOld();
  await setAnswer(42);
});

describe('a backup', () => {
  test('is an archive of mongodump behind gzip, which names every collection and counts documents', async () => {
    const { id, facts } = await backedUp();
    const seen = await everything();
    const collections = Object.values(seen).filter(({ type }) => type !== 'view');
    const documents = collections.flatMap((one) => one.documents);
    const users = seen['admin.system.users']?.documents.length ?? 0;
    expect(facts).toMatchObject({
      localPath: pathOf(id),
      tables: collections.length - 1, // without that of users
      rows: documents.length - users,
      remoteKey: null,
    });
    const names: string[] = [];
    for await (const part of readArchive(createReadStream(pathOf(id)).pipe(createGunzip())))
      if (part.type === 'end') names.push(part.of);
    expect(names.sort()).toEqual(Object.keys(seen).sort());
  });
});

describe('a restore', () => {
  test('brings every document to the byte, indexes, options and views back; the next deployment keeps them', async () => {
    const before = await everyData();
    const backup = await backedUp();
    await mongo(async (client) => {
      await client.db('shöp').dropDatabase();
      await client.db('test').collection('awkward').deleteMany({});
      await client.db('admin').collection('mine').drop();
      await client.db('admin').command({ dropUser: reader.user });
      await client
        .db('since')
        .collection('new')
        .insertOne({ _id: 1 } as never);
    });
    const spec = restoreSpec(backup);
    expect(await restore(spec)).toMatchObject({ outcome: 'succeeded' });
    expect(await everyData()).toEqual(before);
    await readerSignsIn(live);
    expect(await thereIs()).toEqual({ ...alone(), volumes: 2 });
    expect(await recover(spec)).toMatchObject({ outcome: 'succeeded' });
    const next = fixture.spec({}, live);
    expect((await fixture.deploy(next, { secrets: { env } })).result.outcome).toBe('succeeded');
    await fixture.retireNow();
    await forgetOld();
    expect(await everyData()).toEqual(before);
    await readerSignsIn(live);
    expect(await thereIs()).toEqual(alone());
  });

  test('into another service brings data and users, and leaves its root user alone', async () => {
    const root = { MONGO_INITDB_ROOT_USERNAME: reader.user, MONGO_INITDB_ROOT_PASSWORD: 'own' };
    const other = await deployed(root);
    expect(await restore(restoreSpec(await backedUp(), other))).toMatchObject({ outcome: 'succeeded' });
    expect(await everyData(other, root)).toEqual(await everyData());
    const { 'admin.system.users': users } = await mongo(contentsOfMongo, other, root);
    // The one of that name keeps its password, and root of the other service does not come along.
    expect(users?.documents).toHaveLength(1);
    await expect(readerSignsIn(other)).rejects.toThrow(/Authentication failed/);
  });

  test('of a file with one flipped byte is refused, and nothing was touched', async () => {
    const backup = await backedUp();
    await flipByte(pathOf(backup.id), backup.facts.sizeBytes);
    const files = await filesThere();
    expect(await restore(restoreSpec(backup))).toMatchObject({ code: 'backup_damaged' });
    expect(await filesThere()).toEqual(files);
    expect(await thereIs()).toEqual(alone());
  });

  test('that finds other documents than were saved, or has no permission, leaves the live data and nothing else', async () => {
    const backup = await backedUp();
    await setAnswer(7);
    const more = { ...backup, facts: { ...backup.facts, rows: backup.facts.rows + 1 } };
    expect(await restore(restoreSpec(more))).toMatchObject({
      code: 'restore_failed',
      message: expect.stringMatching(/Nothing was changed/),
    });
    const denied = testContext({ grant: async () => false });
    expect(await restore(restoreSpec(backup), denied)).toMatchObject({ code: 'switch_denied' });
    expect(await answers()).toEqual([{ _id: 'answer', value: 7 }]);
    expect(await thereIs()).toEqual(alone());
  });
});

describe('a restore whose runner dies', () => {
  test.each([
    ['while it loads', 'stop', 1],
    ['when the old container has stopped', 'rename', 1],
    ['when no container has the name', 'rename', 2],
  ] as const)('%s has changed nothing, and the database serves again', async (_, change, count) => {
    const spec = restoreSpec(await backedUp());
    await setAnswer(43);
    const { docker, reached } = dockerUntil(change, count);
    void restore(spec, testContext(), docker);
    await reached;
    await reconciledAfterDeath();
    expect(await recover(spec)).toMatchObject({ code: 'runner_restarted' });
    await expect
      .poll(() => answers().catch(String), { timeout: 60_000 })
      .toEqual([{ _id: 'answer', value: 43 }]);
    expect(await thereIs()).toEqual(alone());
  });

  test('when the new container has the name ends as succeeded', async () => {
    const spec = restoreSpec(await backedUp());
    await setAnswer(43);
    const { docker, reached } = dockerUntil('start', 2);
    void restore(spec, testContext(), docker);
    await reached;
    await reconciledAfterDeath();
    expect(await recover(spec)).toMatchObject({ outcome: 'succeeded' });
    expect(await answers()).toEqual([{ _id: 'answer', value: 42 }]);
    expect(await thereIs()).toEqual({ ...alone(), volumes: 2 });
  });
});

/** A Docker that a runner has no more after it has asked for the n-th of these changes: it has died. */
function dockerUntil(change: 'stop' | 'rename' | 'start', count: number) {
  const reached = Promise.withResolvers<void>();
  let left = count;
  const never = () => {
    reached.resolve();
    return new Promise<never>(() => {});
  };
  const bound = (target: object, key: string | symbol) => {
    const value: unknown = Reflect.get(target, key);
    return typeof value === 'function' ? value.bind(target) : value;
  };
  const engine = new Proxy(fixture.parts.docker.engine, {
    get(target, key) {
      if (key !== 'getContainer') return bound(target, key);
      return (id: string) =>
        new Proxy(target.getContainer(id), {
          get(container, called) {
            if (called === change && --left <= 0) return never;
            return bound(container, called);
          },
        });
    },
  });
  const docker: DockerHost = { ...fixture.parts.docker, engine };
  return { docker, reached: reached.promise };
}

/** The runner's next start looks at the host before it recovers its jobs. */
const reconciledAfterDeath = () =>
  reconcile({ ...fixture.parts, say: () => {} }, () => ({
    deployments: new Set<string>(),
    containers: new Set<string>(),
    restored: new Set([live.serviceId]),
  }));
