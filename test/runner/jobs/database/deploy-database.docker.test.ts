/** Databases: one container at a time on a volume of their own, with the password that the service says. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Redis } from 'ioredis';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DeploySecrets, DeploySpec } from '../../../../protocol/job-spec.ts';
import { observe } from '../../../../runner/host/observe.ts';
import { reconcile } from '../../../../runner/host/reconcile.ts';
import { createHostTasks } from '../../../../runner/host/tasks/host-tasks.ts';
import { createJobs } from '../../../../runner/jobs/index.ts';
import { backupPath } from '../../../../runner/storage/backup-files.ts';
import { stable, temporary } from '../../../support/docker/deploy-fixture.ts';
import { inspect, runsOnHost, testId } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { postgresValue } from '../../../support/postgres-client.ts';
import { testContext } from '../../../support/runner/job-context.ts';

type Source = Extract<DeploySpec['source'], { type: 'database' }>;

const fixture = useDeployFixture();

const source = (engine: Source['engine'], imageRef: string, more: Partial<Source> = {}): Source => ({
  type: 'database',
  engine,
  imageRef,
  publicAddress: '127.0.0.1',
  logicalReplication: false,
  ...more,
});
const withEnv = (env: Record<string, string>) => ({ secrets: { env } satisfies Partial<DeploySecrets> });
const freePort = async () => (await freePorts(1))[0] ?? 0;
const volume = (spec: DeploySpec) => `longshore-${spec.serviceId}-data`;

const env = { POSTGRES_DB: 'we-ird "db', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'pä"s\'s\\ 1' };

/** Asks through the port that Docker publishes on this host. */
const ask = (spec: DeploySpec, sql: string, values = env) =>
  postgresValue({ port: spec.hostPort }, values, sql);

describe('PostgreSQL', () => {
  let live: DeploySpec;

  beforeAll(async () => {
    live = fixture.spec({ source: source('postgres', 'postgres:17'), hostPort: await freePort() });
    const { result, context } = await fixture.deploy(live, withEnv(env));
    expect(result, context.text()).toEqual({
      outcome: 'succeeded',
      facts: { imageTag: temporary(live), containerName: stable(live) },
    });
    await ask(live, 'CREATE TABLE kept AS SELECT 42 AS answer');
  });

  test('PostgreSQL is published on this host alone, found by its slug, observed as reachable', async () => {
    const { HostConfig } = await inspect(fixture.host.docker, stable(live));
    expect(HostConfig.PortBindings).toEqual({
      '5432/tcp': [{ HostIp: '127.0.0.1', HostPort: String(live.hostPort) }],
    });
    expect(await fixture.aliasesOf(stable(live))).toEqual([live.serviceSlug]);
    expect(await observe(fixture.parts)).toContainEqual({
      serviceId: live.serviceId,
      deploymentId: live.deploymentId,
      state: 'running',
      reachable: true,
    });
  });

  test('a deployment that is sent again after its end starts nothing again', async () => {
    const { Id } = await inspect(fixture.host.docker, stable(live));
    const { result } = await fixture.deploy(live, withEnv(env));
    expect(result.outcome).toBe('succeeded');
    expect((await inspect(fixture.host.docker, stable(live))).Id).toBe(Id);
  });

  test('PostgreSQL keeps its data over a redeployment that opens it to all addresses and turns logical replication on', async () => {
    const open = source('postgres', 'postgres:17', { publicAddress: '0.0.0.0', logicalReplication: true });
    const spec = fixture.spec({ source: open, memoryLimitMb: 512 }, live);
    const { result, context } = await fixture.deploy(spec, withEnv(env));
    expect(result.outcome, context.text()).toBe('succeeded');
    await fixture.retireNow();
    live = spec;
    expect(await ask(live, 'SELECT answer FROM kept')).toBe(42);
    expect(await ask(live, 'SHOW wal_level')).toBe('logical');
    const { HostConfig } = await inspect(fixture.host.docker, stable(live));
    expect(HostConfig.PortBindings['5432/tcp']?.[0]?.HostIp).toBe('0.0.0.0');
    expect(HostConfig.Memory).toBe(512 * 1024 * 1024);
  });

  test('a changed password is changed in the data; the old one is refused', async () => {
    const changed = { ...env, POSTGRES_PASSWORD: `n'ew\\"` };
    const spec = fixture.spec({}, live);
    const secrets = { env: changed, secretKeys: ['POSTGRES_PASSWORD'] };
    const { result, context } = await fixture.deploy(spec, { secrets });
    expect(result.outcome, context.text()).toBe('succeeded');
    await fixture.retireNow();
    live = spec;
    expect(await ask(live, 'SELECT answer FROM kept', changed)).toBe(42);
    await expect(ask(live, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    expect(context.text()).not.toContain(changed.POSTGRES_PASSWORD);
    const { Config } = await inspect(fixture.host.docker, stable(live));
    expect(Config.Labels['longshore.secret-keys']).toBe('["POSTGRES_PASSWORD"]');
    const back = fixture.spec({}, live);
    expect((await fixture.deploy(back, withEnv(env))).result.outcome).toBe('succeeded');
    await fixture.retireNow();
    live = back;
  });

  describe('after a deployment that did not end well', () => {
    const isAsBefore = async () => {
      // It has been started, and needs a moment until it takes connections.
      const answer = () => ask(live, 'SELECT answer FROM kept').catch(() => undefined);
      await expect.poll(answer, { timeout: 30_000 }).toBe(42);
      const { Config } = await inspect(fixture.host.docker, stable(live));
      expect(Config.Labels['longshore.deployment']).toBe(live.deploymentId);
    };

    test('the old container is back when the new one does not come up', async () => {
      const spec = fixture.spec({ source: source('postgres', 'node:24-slim') }, live);
      const { result } = await fixture.deploy(spec, withEnv(env));
      expect(result).toMatchObject({ outcome: 'threw' });
      await isAsBefore();
      await expect(inspect(fixture.host.docker, temporary(spec))).rejects.toMatchObject({ statusCode: 404 });
    });

    test('the old container is back when the permission is not given, with its password', async () => {
      const context = testContext({ grant: () => false });
      const changed = { ...env, POSTGRES_PASSWORD: 'other' };
      const spec = fixture.spec({}, live);
      const { result } = await fixture.deploy(spec, { ...withEnv(changed), context });
      expect(result).toMatchObject({ code: 'switch_denied' });
      await isAsBefore();
    });

    test('the old container is back when the user is changed: the data knows only the first user', async () => {
      const { result } = await fixture.deploy(
        fixture.spec({}, live),
        withEnv({ ...env, POSTGRES_USER: 'x' }),
      );
      expect(result).toMatchObject({
        code: 'switch_failed',
        message: expect.stringContaining('POSTGRES_USER cannot be changed after the first start'),
      });
      await isAsBefore();
    });

    test.each(['Stopping the old container', 'start: done'])(
      'an abort at "%s" brings the old container back',
      async (at) => {
        const context = testContext();
        void context.printed(new RegExp(at)).then(() => context.abort());
        const { result } = await fixture.deploy(fixture.spec({}, live), { ...withEnv(env), context });
        expect(result).toMatchObject({ outcome: 'threw', message: 'job stopped: aborted' });
        await isAsBefore();
      },
    );

    test('a runner killed before the permission leaves the old container serving', async () => {
      const spec = fixture.spec({}, live);
      const reached = Promise.withResolvers<void>();
      const dead = testContext({
        grant: () => {
          reached.resolve();
          return new Promise<never>(() => undefined);
        },
      });
      void fixture.deploy(spec, { ...withEnv(env), context: dead });
      await reached.promise;
      const recovered = createJobs(fixture.parts).deploy.recover(spec, dead.checkpoints, testContext());
      await expect(recovered).rejects.toMatchObject({ code: 'runner_restarted' });
      await fixture.retireNow();
      await isAsBefore();
    });

    test('a runner killed after the permission continues with the new container when it serves', async () => {
      const spec = fixture.spec({}, live);
      const reached = Promise.withResolvers<void>();
      const dead = testContext();
      const never = new Proxy(dead, {
        get: (target, key) =>
          key === 'enter'
            ? (phase: string) => {
                if (phase !== 'finish') return;
                reached.resolve();
                throw new Error('killed');
              }
            : Reflect.get(target, key),
      });
      void fixture.deploy(spec, { ...withEnv(env), context: never });
      await reached.promise;
      const result = await createJobs(fixture.parts).deploy.recover(spec, dead.checkpoints, testContext());
      expect(result).toMatchObject({ outcome: 'succeeded' });
      await fixture.retireNow();
      live = spec;
      await isAsBefore();
    });
  });

  test('a first start that fails leaves no volume behind, which the next would take for whole', async () => {
    const spec = fixture.spec({
      serviceId: testId('service'),
      source: source('postgres', 'postgres:17'),
      hostPort: await freePort(),
    });
    const { result, context } = await fixture.deploy(spec, withEnv({ POSTGRES_PASSWORD: '' }));
    expect(result).toMatchObject({ code: 'health_failed' });
    expect(context.text()).toContain('superuser password is not specified');
    expect(await fixture.host.volumes()).not.toContain(volume(spec));
  });

  test("a database's volume and backups outlive its service until their own removal", async () => {
    const backup = backupPath(fixture.host.dataDirectory, live.serviceId, testId('backup'));
    mkdirSync(dirname(backup), { recursive: true });
    writeFileSync(backup, 'rows');
    const tasks = createHostTasks({ ...fixture.parts, checkDomainsSoon: () => {} });
    const owner = { serviceId: live.serviceId, projectId: live.projectId };
    await tasks['remove-service']({
      kind: 'remove-service',
      ...owner,
      hostnames: [],
      hostPort: live.hostPort,
    });
    expect(await fixture.host.volumes()).toContain(volume(live));
    expect(existsSync(backup)).toBe(true);
    await tasks['remove-volumes']({ kind: 'remove-volumes', ...owner });
    expect(await fixture.host.volumes()).not.toContain(volume(live));
    expect(existsSync(backup)).toBe(false);
  });
});

test('Redis keeps its data over a new password, which is in no command line', async () => {
  const password = 'pä"s\'s\\ 1';
  const first = fixture.spec({
    source: source('redis', 'redis:8'),
    hostPort: await freePort(),
    serviceId: testId('service'),
  });
  const use = async (spec: DeploySpec, secret: string) => {
    const client = new Redis({
      host: '127.0.0.1',
      port: spec.hostPort,
      password: secret,
      lazyConnect: true,
      retryStrategy: () => null,
    });
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const { result, context } = await fixture.deploy(first, withEnv({ REDIS_PASSWORD: password }));
  expect(result.outcome, context.text()).toBe('succeeded');
  const before = await use(first, password);
  await before.set('kept', 'value');
  before.disconnect();
  const { Path, Args } = await inspect(fixture.host.docker, stable(first));
  expect([Path, ...Args].join(' ')).not.toContain(password);
  expect(runsOnHost(password)).toBe(false);

  const second = fixture.spec({}, first);
  const again = await fixture.deploy(second, withEnv({ REDIS_PASSWORD: 'new one' }));
  expect(again.result.outcome, again.context.text()).toBe('succeeded');
  await fixture.retireNow();
  const after = await use(second, 'new one');
  expect(await after.get('kept')).toBe('value');
  after.disconnect();
  await expect(use(second, password)).rejects.toThrow();
});

test('the start of a runner starts a stopped database, but never together with the one that a job made for the same data', async () => {
  const live = fixture.spec({
    source: source('redis', 'redis:8'),
    hostPort: await freePort(),
    serviceId: testId('service'),
  });
  const secret = withEnv({ REDIS_PASSWORD: 'x' });
  expect((await fixture.deploy(live, secret)).result.outcome).toBe('succeeded');
  const isRunning = async () => (await inspect(fixture.host.docker, stable(live))).State.Running;
  const wake = (...deployments: string[]) =>
    reconcile({ ...fixture.parts, say: () => {} }, () => ({
      deployments: new Set(deployments),
      containers: new Set(),
    }));

  const next = fixture.spec({}, live);
  const reached = Promise.withResolvers<void>();
  const dead = testContext({
    grant: () => {
      reached.resolve();
      return new Promise<never>(() => undefined);
    },
  });
  void fixture.deploy(next, { ...secret, context: dead });
  await reached.promise;
  expect(await isRunning()).toBe(false);
  await wake(next.deploymentId);
  expect(await isRunning()).toBe(false);

  const recovered = createJobs(fixture.parts).deploy.recover(next, dead.checkpoints, testContext());
  await expect(recovered).rejects.toMatchObject({ code: 'runner_restarted' });
  expect(await isRunning()).toBe(true);
  await fixture.host.docker.engine.getContainer(stable(live)).stop();
  await wake();
  expect(await isRunning()).toBe(true);
});
