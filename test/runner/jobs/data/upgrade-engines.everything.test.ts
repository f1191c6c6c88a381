/**
 * The upgrade of every engine, and what may happen to one afterwards. The later version is the same server in another image: a real earlier
 * version is tried for PostgreSQL only (upgrade.soak.test.ts).
 */
import { BSON } from 'mongodb';
import { describe, expect, test } from 'vitest';
import type { EngineName } from '../../../../protocol/database.ts';
import { restoreContainerName, stableContainerName } from '../../../../protocol/names.ts';
import { connectDocker } from '../../../../runner/docker/client.ts';
import { inspectContainer, renameContainer, stopContainer } from '../../../../runner/docker/containers.ts';
import { timescale } from '../../../../runner/engines/postgres.ts';
import { reconcile } from '../../../../runner/host/reconcile.ts';
import { stable } from '../../../support/docker/deploy-fixture.ts';
import { inspect } from '../../../support/docker/docker-host.ts';
import { nextVersion, useNextImage } from '../../../support/docker/next-image.ts';
import { useDatabase } from '../../../support/docker/use-databases.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { dockerGateway } from '../../../support/instance/docker-gateway.ts';
import { testContext } from '../../../support/runner/job-context.ts';
import { fixture as clickhouseFixture } from '../../engines/clickhouse-fixture.ts';
import { mongoEnv, mongoFixture, mongoImage } from '../../engines/mongodb-fixture.ts';
import { mysqlFixture } from '../../engines/mysql-fixture.ts';
import { postgresFixture } from '../../engines/postgres-fixture.ts';
import { redisFixture } from '../../engines/redis-fixture.ts';

const fixtures = [
  redisFixture,
  mongoFixture,
  clickhouseFixture,
  postgresFixture(timescale, 'timescale/timescaledb:latest-pg17'),
  mysqlFixture,
];

/** Tables that the server empties when it stops. */
const inMemory: Partial<Record<EngineName, { name: string; make: string[]; empty: string }>> = {
  clickhouse: { name: 'app.keyless', make: [], empty: 'TRUNCATE TABLE keyless' },
  mysql: {
    name: 'app.in_memory',
    make: ['CREATE TABLE in_memory (n int) ENGINE = MEMORY', 'INSERT INTO in_memory VALUES (1)'],
    empty: 'DELETE FROM in_memory',
  },
};

describe.each(fixtures)('an upgrade of $engine.name', ({ engine, image, env, fill }) => {
  const next = useNextImage(image);
  const database = useDatabase({ engine: engine.name, image, env: env as Record<string, string> });
  const live = () => inspect(database.fixture.parts.docker, stable(database.live));
  const contents = async () => {
    const { tables, rows } = await database.backUp();
    return { tables, rows };
  };

  const run = async (statements: string[]) => {
    const session = await engine.connect({ host: '127.0.0.1', port: database.port }, env);
    for (const statement of statements)
      await session.query(
        { action: 'query', text: statement },
        { timeoutMs: 10_000, rowsMax: 1, bytesMax: 1000 },
      );
    await session.close();
  };

  test('carries all data to the new image, and its undo goes back to the old one', async () => {
    await fill({ host: '127.0.0.1', port: database.port }, env);
    const memory = inMemory[engine.name];
    if (memory) {
      await run(memory.make);
      const refused = await database.run(database.upgradeSpec(next));
      expect(refused).toMatchObject({
        code: 'upgrade_refused',
        message: expect.stringContaining(memory.name),
      });
      await run([memory.empty]);
    }
    const before = await contents();
    const spec = database.upgradeSpec(next, { acceptsNotKept: true });
    expect(await database.run(spec)).toMatchObject({ outcome: 'succeeded' });
    expect((await live()).Config.Env).toContain(nextVersion);
    expect(await contents()).toEqual(before);

    expect(await database.run(database.undoSpec(spec))).toEqual({ outcome: 'succeeded', facts: {} });
    expect((await live()).Config.Env).not.toContain(nextVersion);
    expect(await contents()).toEqual(before);
    await database.removeOldData();
    expect(await database.belongings()).toEqual(database.alone());
  });
});

describe('an upgraded database', () => {
  const { image, env, fill } = redisFixture;
  const next = useNextImage(image);
  const database = useDatabase({ engine: 'redis', image, env: env as Record<string, string> });
  const docker = () => database.fixture.parts.docker;
  const rename = async (from: string, to: string) =>
    await renameContainer(docker(), await inspectContainer(docker(), from), to);
  const beforeName = () => restoreContainerName(database.live.serviceId, 'before', 'x');
  const liveName = () => stableContainerName(database.live.serviceId);
  const upgraded = async () => {
    const spec = database.upgradeSpec(next);
    expect(await database.run(spec)).toMatchObject({ outcome: 'succeeded' });
    return spec;
  };

  test('comes back in the old version when Docker is away while it is stopped', async () => {
    await fill({ host: '127.0.0.1', port: database.port }, env);
    const before = await database.backUp();
    const gateway = await dockerGateway();
    try {
      const proxied = connectDocker(docker().instance, { socketPath: gateway.host.replace('unix://', '') });
      const context = testContext();
      const reached = gateway.hold(/^POST \/containers\/\w+\/rename$/, 'after');
      const run = database.run(database.upgradeSpec(next), { context, parts: { docker: proxied } });
      const { release } = await reached;
      await gateway.die();
      release();
      await expect.poll(() => context.text(), { timeout: 20_000 }).toContain('does not answer queries yet');
      await gateway.mend();
      expect(await run).toMatchObject({ code: 'upgrade_failed' });
    } finally {
      await gateway.close();
    }
    expect(await database.belongings()).toEqual(database.alone());
    expect((await database.backUp()).rows).toBe(before.rows);
  });

  test('is started again at the runner’s start when a job had to leave its only container aside', async () => {
    const { id } = await inspectContainer(docker(), liveName());
    await stopContainer(docker(), id);
    await rename(liveName(), beforeName());
    const none = { deployments: new Set<string>(), containers: new Set<string>() };
    await reconcile({ ...database.fixture.parts, say: () => {} }, () => none);
    expect(await inspectContainer(docker(), liveName())).toMatchObject({ id, running: true });
  });

  test('loses its old data only while it has a container, and that is tried again', async () => {
    await upgraded();
    const due = [...database.fixture.oldData];
    await rename(liveName(), beforeName());
    await expect(database.removeOldData()).rejects.toThrow('has no container now');
    await rename(beforeName(), liveName());
    database.fixture.oldData.push(...due);
    await database.removeOldData();
    expect(await database.belongings()).toEqual(database.alone());
  });

  test('that went back keeps the volume that a later restore promises, when the upgrade’s removal is due', async () => {
    // The test before has left the later image, which is the same server.
    const spec = await upgraded();
    await database.run(database.undoSpec(spec));
    expect(await database.run(database.restoreSpec(await database.backUp()))).toMatchObject({
      outcome: 'succeeded',
    });
    const later = database.fixture.oldData.splice(1);
    expect((await database.belongings()).volumes).toBe(3);
    await database.removeOldData();
    expect((await database.belongings()).volumes).toBe(3);
    database.fixture.oldData.push(...later);
    await database.removeOldData();
    expect(await database.belongings()).toEqual(database.alone());
  });

  test('stays in the new version when the volume of the old one is removed while it goes back', async () => {
    const spec = await upgraded();
    const { rows } = await database.backUp();
    const gateway = await dockerGateway();
    try {
      const proxied = connectDocker(docker().instance, { socketPath: gateway.host.replace('unix://', '') });
      const reached = gateway.hold(/^POST \/containers\/create/, 'before');
      const run = database.run(database.undoSpec(spec), { parts: { docker: proxied } });
      const { release } = await reached;
      await database.removeOldData();
      release();
      expect(await run).toMatchObject({
        code: 'upgrade_failed',
        message: expect.stringMatching(/data was removed meanwhile.*The upgraded version runs/),
      });
    } finally {
      await gateway.close();
    }
    expect((await database.backUp()).rows).toBe(rows);
    expect(await database.belongings()).toEqual(database.alone());
  });

  test('keeps its name and port of now when it goes back', async () => {
    const spec = await upgraded();
    const [hostPort = 0] = await freePorts(1);
    const { fixture, live } = database;
    const renamed = fixture.spec({ hostPort, serviceSlug: 'renamed' }, live);
    const { result } = await fixture.deploy(renamed, { secrets: { env } });
    expect(result.outcome).toBe('succeeded');
    await fixture.retireNow();
    expect(await database.run(database.undoSpec(spec))).toMatchObject({ outcome: 'succeeded' });
    const { HostConfig, NetworkSettings } = await inspect(docker(), liveName());
    expect(JSON.stringify(HostConfig.PortBindings)).toContain(`"${hostPort}"`);
    expect(Object.values(NetworkSettings.Networks)[0]?.Aliases).toContain('renamed');
  });
});

describe('an upgrade of a replica set with more members', () => {
  const member = useDatabase({ engine: 'mongodb', image: mongoImage, env: mongoEnv });

  test('is refused before anything is stopped', async () => {
    const before = await inspect(member.fixture.parts.docker, stable(member.live));
    const name = `${member.live.serviceSlug}:27017`;
    const members = [name, '192.0.2.1:27017'].map((host, _id) => ({ _id, host }));
    const config = Buffer.from(BSON.serialize({ _id: 'rs0', version: 9, members })).toString('hex');
    await member.printed(['psql', '-c', `UPDATE public.gateway_replica_set SET config = '\\x${config}'`]);
    await member.fixture.parts.docker.engine.getContainer(before.Id).restart();
    await expect
      .poll(() => member.run(member.upgradeSpec(mongoImage)), { timeout: 60_000 })
      .toMatchObject({
        code: 'upgrade_refused',
        message: expect.stringMatching(/has 2 members .*192\.0\.2\.1.* was not touched/),
      });
    expect(await inspect(member.fixture.parts.docker, stable(member.live))).toMatchObject({
      Id: before.Id,
      State: { Running: true },
    });
  });
});
