/** A deployed Redis that imports fill by the runner's own job, and servers to import from. */
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { JobResult } from '../../../protocol/job-report.ts';
import type { DeploySpec, ImportSpec } from '../../../protocol/job-spec.ts';
import { systemClock } from '../../../runner/base/clock.ts';
import { removeOldData } from '../../../runner/jobs/data/remove-old-data.ts';
import { createJobs } from '../../../runner/jobs/index.ts';
import { freePorts } from '../../support/free-ports.ts';
import { type DeployFixture, deployFixture, stable } from './deploy-fixture.ts';
import { testId } from './docker-host.ts';
import { type TestContext, testContext } from './job-context.ts';
import { type Login, type RedisSource, startRedisSource, withRedis } from './redis-source.ts';

const env = { REDIS_PASSWORD: `it's "so" \\ zë` };

export interface ImportRun {
  url: string;
  spec?: ImportSpec;
  context?: TestContext;
  /** The operator allows private addresses. */
  isAllowed?: boolean;
  docker?: DeployFixture['parts']['docker'];
}
export type Ended = JobResult | { outcome: 'threw'; code?: string; message: string };

export interface RedisImportScene {
  fixture: DeployFixture;
  target: DeploySpec;
  /** A server to import from. */
  started(
    settings: string[],
    options?: { login?: Login; files?: Record<string, string> },
  ): Promise<RedisSource>;
  onTarget<T>(use: (client: Redis) => Promise<T>, login?: Login): Promise<T>;
  importSpec(more?: Partial<ImportSpec>): ImportSpec;
  run(of: ImportRun): Promise<Ended>;
  /** Begins one and loses the runner at this point. */
  runUntil(reached: Promise<void>, of: ImportRun): Promise<void>;
  recover(spec: ImportSpec): Promise<Ended>;
  /** What is on the host of the service. */
  thereIs(): Promise<{ containers: string[]; volumes: number }>;
  /** Nothing but the live container and its volume, and so many volumes that imports have put aside. */
  alone(aside?: number): { containers: string[]; volumes: number };
  /** An empty database, and nothing put aside. */
  reset(): Promise<void>;
  remove(): Promise<void>;
}

export async function redisImportScene(): Promise<RedisImportScene> {
  const fixture = await deployFixture();
  const { parts } = fixture;
  const sources: RedisSource[] = [];
  const [hostPort = 0] = await freePorts(1);
  const source: DeploySpec['source'] = {
    type: 'database',
    engine: 'redis',
    imageRef: 'redis:8',
    publicAddress: '127.0.0.1',
    logicalReplication: false,
  };
  const target = fixture.spec({ source, hostPort, memoryLimitMb: 256 });
  expect((await fixture.deploy(target, { secrets: { env } })).result.outcome).toBe('succeeded');
  const onTarget: RedisImportScene['onTarget'] = (use, login = {}) =>
    withRedis({ port: hostPort, password: env.REDIS_PASSWORD, ...login }, use);
  const scene: RedisImportScene = {
    fixture,
    target,
    async started(settings, options) {
      const source = await startRedisSource(settings, options);
      sources.push(source);
      return source;
    },
    onTarget,
    importSpec: (more = {}) => ({
      ...{ kind: 'import', engine: 'redis', source: 'redis-url', safetyBackupId: null },
      ...{ projectId: target.projectId, serviceId: target.serviceId, importId: testId('import') },
      ...more,
    }),
    run(of) {
      const { url, spec = scene.importSpec(), context = testContext(), isAllowed = true } = of;
      const jobs = createJobs({
        ...parts,
        docker: of.docker ?? parts.docker,
        allowPrivateImports: isAllowed,
      });
      return ended(jobs.import.run(spec, { env: {}, gitToken: null, sourceUrl: url }, context));
    },
    async runUntil(reached, of) {
      const early = scene.run(of).then((end) => {
        throw new Error(`It has ended before: ${JSON.stringify(end)}`);
      });
      await Promise.race([reached, early]);
    },
    recover: (spec) => ended(createJobs(parts).import.recover(spec, {}, testContext())),
    thereIs: async () => ({
      containers: (await fixture.host.leftovers()).filter(
        (name) => name.includes(target.serviceId) && !/dep_/.test(name),
      ),
      volumes: (await fixture.host.volumes()).length,
    }),
    alone: (aside = 0) => ({ containers: [stable(target)], volumes: 1 + aside }),
    async reset() {
      for (const old of fixture.oldData.splice(0)) {
        const clocked = { docker: parts.docker, clock: systemClock };
        await removeOldData(clocked, { ...old, dueAt: 0 }, AbortSignal.timeout(60_000));
      }
      await onTarget((client) => client.flushall());
    },
    async remove() {
      for (const one of sources) await one.remove();
      await fixture.remove();
    },
  };
  return scene;
}

const ended = (running: Promise<JobResult>): Promise<Ended> =>
  running.catch(({ code, message }: { code?: string; message: string }) => ({
    outcome: 'threw' as const,
    ...(code === undefined ? {} : { code }),
    message,
  }));
