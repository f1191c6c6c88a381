/** MongoDB as a replica set of one: its name follows the service, older data becomes a member, and a backup reads one moment. */
import type { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { archiveOf } from '../../../../runner/engines/mongodb/archive/dump.ts';
import { keepingHistory } from '../../../../runner/engines/mongodb/archive/moment.ts';
import { mongodb } from '../../../../runner/engines/mongodb.ts';
import { stable } from '../../../support/docker/deploy-fixture.ts';
import { inspect } from '../../../support/docker/docker-host.ts';
import { useDatabase } from '../../../support/docker/use-databases.ts';
import { until } from '../../../support/runner/until.ts';
import { mongoEnv, mongoImage, withMongo } from '../../engines/mongodb-fixture.ts';

const database = useDatabase({ engine: 'mongodb', image: mongoImage, env: mongoEnv });
const mongo = <T>(use: (client: MongoClient) => Promise<T>) =>
  withMongo({ host: '127.0.0.1', port: database.port }, mongoEnv, use);
const hello = () => mongo((client) => client.db('admin').command({ hello: 1 }));
const shop = (client: MongoClient) => client.db('shop').collection<{ _id: number }>('orders');
const orders = () => mongo((client) => shop(client).countDocuments());

async function redeploy(more: Partial<DeploySpec> = {}): Promise<void> {
  const { fixture, live } = database;
  const { result } = await fixture.deploy(fixture.spec(more, live), { secrets: { env: mongoEnv } });
  expect(result).toMatchObject({ outcome: 'succeeded' });
  await fixture.retireNow();
}

/** Puts a container of this command in the live one's place, on its volume, without telling the runner. */
async function runBy(command: (now: string[]) => string[]): Promise<void> {
  const { docker } = database.fixture.host;
  const name = stable(database.live);
  const { Id, Config, HostConfig, NetworkSettings } = await inspect(docker, name);
  const key = await docker.engine.getContainer(Id).getArchive({ path: '/etc/longshore-mongodb.key' });
  const [[network = '', { IPAMConfig, Aliases }] = ['', {} as never]] = Object.entries(
    NetworkSettings.Networks,
  );
  await docker.engine.getContainer(Id).remove({ force: true });
  const { id } = await docker.engine.createContainer({
    ...{ name, Image: Config.Image, Env: Config.Env, Labels: Config.Labels, HostConfig },
    ExposedPorts: Config.ExposedPorts,
    Cmd: command(Config.Cmd),
    NetworkingConfig: { EndpointsConfig: { [network]: { IPAMConfig, Aliases } } },
  });
  const container = docker.engine.getContainer(id);
  await container.putArchive(key, { path: '/etc' });
  await container.start();
  const place = await database.place();
  await until(
    'an answer',
    () =>
      mongodb.ping(place.address, place.env).then(
        () => true,
        () => false,
      ),
    60_000,
  );
}

test('a client commits a transaction, aborts another, and the key is readable for mongod alone', async () => {
  expect(await hello()).toMatchObject({ setName: 'rs0', hosts: [`${database.live.serviceSlug}:27017`] });
  await mongo(async (client) => {
    await client.withSession((session) =>
      session.withTransaction(async () => {
        await shop(client).insertOne({ _id: 1 }, { session });
        await shop(client).insertOne({ _id: 2 }, { session });
        expect(await shop(client).countDocuments()).toBe(0);
      }),
    );
    await client.withSession(async (session) => {
      session.startTransaction();
      await shop(client).insertOne({ _id: 3 }, { session });
      await session.abortTransaction();
    });
  });
  expect(await orders()).toBe(2);
  const mode = await database.printed(['stat', '-c', '%a %U', '/etc/longshore-mongodb.key']);
  expect(mode.toString().trim()).toBe('400 mongodb');
});

test('a service with another name keeps its data and takes writes under that name', async () => {
  await redeploy({ serviceSlug: 'renamed' });
  expect(await hello()).toMatchObject({ hosts: ['renamed:27017'], isWritablePrimary: true });
  await redeploy();
  expect(await hello()).toMatchObject({ hosts: [`${database.live.serviceSlug}:27017`] });
  expect(await orders()).toBe(2);
});

test('data of a server that ran alone becomes a replica set with the next deployment, and this can be undone', async () => {
  const alone = (now: string[]) => {
    const left = now.slice(1);
    const dropped = ['--replSet', '--oplogSize', '--keyFile'];
    for (const name of dropped) if (left.includes(name)) left.splice(left.indexOf(name), 2);
    return ['mongod', ...left];
  };
  await runBy(alone);
  expect(await hello()).not.toHaveProperty('setName');
  expect(await orders()).toBe(2);
  await expect(
    mongo((client) =>
      client.withSession((session) =>
        session.withTransaction(() => shop(client).insertOne({ _id: 9 }, { session })),
      ),
    ),
  ).rejects.toThrow(/does not support retryable writes/);
  await redeploy();
  expect(await hello()).toMatchObject({ setName: 'rs0', isWritablePrimary: true });
  expect(await orders()).toBe(2);
});

test('a backup holds no document that was written after it began', async () => {
  await mongo(async (client) => {
    const second = client.db('shop').collection<{ _id: number }>('payments');
    await second.insertOne({ _id: 1 });
    const contents = { tables: 0, rows: 0 };
    await keepingHistory(client, async (isOfOneMoment) => {
      expect(isOfOneMoment).toBe(true);
      const request = {
        rootUser: 'app',
        only: 'shop',
        isTaken: () => true,
        progress: () => {},
        isOfOneMoment,
      };
      const archive = archiveOf(client, request, contents);
      await archive.next(); // the list of collections: the moment is chosen
      await shop(client).insertOne({ _id: 4 });
      await second.insertOne({ _id: 2 });
      await second.updateOne({ _id: 1 }, { $set: { isPaid: true } });
      const pieces: Buffer[] = [];
      for await (const piece of archive) pieces.push(piece);
      expect(Buffer.concat(pieces).includes('isPaid')).toBe(false);
    });
    expect(contents.rows).toBe(3);
    const { minSnapshotHistoryWindowInSeconds } = await client
      .db('admin')
      .command({ getParameter: 1, minSnapshotHistoryWindowInSeconds: 1 });
    expect(minSnapshotHistoryWindowInSeconds).toBe(300);
  });
});

test('a backup names the parameters of the replica set that somebody has set', async () => {
  // Here setClusterParameter stores its values; the stand-in has no such command.
  const stored = (client: MongoClient) =>
    client.db('config').collection<{ _id: string }>('clusterParameters');
  await mongo((client) => stored(client).insertOne({ _id: 'changeStreamOptions' }));
  expect(await database.backUp()).toMatchObject({
    notKept: [
      'Parameters set with setClusterParameter are left out: changeStreamOptions. Set them again after a restore.',
    ],
  });
  await mongo((client) => stored(client).drop());
});

test('a restore brings the data into a member of the same name', async () => {
  const backup = await database.backUp();
  const count = await orders();
  await mongo((client) => client.db('shop').dropDatabase());
  expect(await database.run(database.restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
  expect(await orders()).toBe(count);
  expect(await hello()).toMatchObject({
    hosts: [`${database.live.serviceSlug}:27017`],
    isWritablePrimary: true,
  });
  expect(await database.run(database.drillSpec(backup))).toMatchObject({ outcome: 'succeeded' });
});
