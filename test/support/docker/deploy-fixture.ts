/** One project on one test host with a git server: deploys services like the runner. */
import { join } from 'node:path';
import type { JobResult } from '../../../protocol/job-report.ts';
import type { DeploySecrets, DeploySpec } from '../../../protocol/job-spec.ts';
import { namesTable } from '../../../protocol/names.ts';
import { systemClock } from '../../../runner/base/clock.ts';
import { createBuildScope } from '../../../runner/builder/build-scope.ts';
import { createDatabaseTls } from '../../../runner/database-tls/database-tls.ts';
import { readDiskSpace } from '../../../runner/docker/disk-space.ts';
import { allBuilders } from '../../../runner/docker/image-build/builder.ts';
import { readFreeMemory } from '../../../runner/docker/memory.ts';
import { LiveNames } from '../../../runner/firewall/live-names.ts';
import { networkRulesRemoval } from '../../../runner/firewall/network-rules.ts';
import { createNft } from '../../../runner/firewall/nft.ts';
import type { OldData } from '../../../runner/jobs/data/data-attempt.ts';
import { createJobs, type JobParts } from '../../../runner/jobs/index.ts';
import { deployLimits } from '../../../runner/jobs/parts/deploy-limits.ts';
import { type Retirement, retire } from '../../../runner/jobs/parts/retire.ts';
import { type TestContext, testContext } from '../runner/job-context.ts';
import { type MemoryTraffic, memoryTraffic } from '../runner/memory-traffic.ts';
import { commitRepository, type TestFile } from '../runner/repository.ts';
import { type GitServer, serveGit } from '../servers/git-server.ts';
import { inspect, type TestHost, testHost, testId } from './docker-host.ts';

export interface DeployFixture {
  host: TestHost;
  traffic: MemoryTraffic;
  parts: JobParts;
  /** Old data that restores have kept. */
  oldData: OldData[];
  /** Commits files to the repository `name`; returns the commit. */
  commit(name: string, files: Record<string, TestFile>): string;
  /** The spec of a new deployment; `of` reuses the service and source of another one. */
  spec(more?: Partial<DeploySpec>, of?: DeploySpec): DeploySpec;
  gitSource(name: string, more?: Partial<GitSource>): DeploySpec['source'];
  deploy(
    spec: DeploySpec,
    options?: { secrets?: Partial<DeploySecrets>; context?: TestContext },
  ): Promise<Deployed>;
  /** The current answer of the service's route, to `/` or another path. */
  answer(spec: DeploySpec, path?: string): Promise<string>;
  /** The network aliases of a container. */
  aliasesOf(name: string): Promise<string[]>;
  /** Runs the postponed removals of old versions. */
  retireNow(): Promise<void>;
  remove(): Promise<void>;
}

type GitSource = Extract<DeploySpec['source'], { type: 'git' }>;
export interface Deployed {
  result: JobResult | { outcome: 'threw'; code: unknown; message: string };
  context: TestContext;
}

/** The names in docs/design/interface.md, written out, so that a change of protocol/names.ts fails a test. */
export const stable = (spec: Pick<DeploySpec, 'serviceId'>) => `longshore-${spec.serviceId}-stable`;
export const temporary = (spec: DeploySpec) => `longshore-${spec.serviceId}-${spec.deploymentId}`;

const networkRange = '10.211.0.0/16';

export async function deployFixture(): Promise<DeployFixture> {
  const host = await testHost();
  const repositories = join(host.dataDirectory, 'repositories');
  const git: GitServer = await serveGit(repositories);
  const traffic = memoryTraffic();
  const retirements: Retirement[] = [];
  const names = new LiveNames({
    docker: host.docker,
    // Tests may replace the traffic.
    traffic: { current: (serviceId) => parts.traffic.current(serviceId) },
    logger: { warn: (line) => console.error(line) },
  });
  const projectId = testId('project');
  const oldData: OldData[] = [];
  const parts: JobParts = {
    exchangedVolumes: new Set(),
    removeOldDataLater: (old) => void oldData.push(old),
    docker: { ...host.docker, containerCreated: () => names.sync() },
    traffic,
    names,
    retireLater: (retirement) => void retirements.push(retirement),
    dataDirectory: host.dataDirectory,
    controlPlaneUrl: 'http://127.0.0.1:9', // nobody listens there
    networkRange,
    allowPrivateSources: true,
    databasePorts: { first: 42_000, last: 42_999 },
    allowPrivateImports: true,
    readDiskSpace,
    readFreeMemory,
    builders: allBuilders,
    buildScope: createBuildScope(host.dataDirectory),
    limits: deployLimits,
    databaseTls: createDatabaseTls({
      dataDirectory: host.dataDirectory,
      runnerId: host.docker.instance,
      clock: systemClock,
      publicAddress: async () => '192.0.2.7', // RFC 5737: a documentation address
    }),
  };
  return {
    host,
    traffic,
    parts,
    oldData,
    commit: (name, files) => commitRepository(repositories, name, files),
    gitSource: (name, more = {}) => ({
      type: 'git',
      url: `${git.url}/${name}`,
      branch: 'main',
      rootDir: null,
      ...more,
    }),
    spec: (more = {}, of) => ({
      ...(of ?? baseSpec(projectId)),
      deploymentId: testId('deployment'),
      ...more,
    }),
    async deploy(spec, { secrets = {}, context = testContext() } = {}) {
      const all = { env: {}, gitToken: null, ...secrets };
      const result = await createJobs(parts).deploy.run(spec, all, context).catch(thrown);
      return { result, context };
    },
    async answer({ serviceId }, path = '/') {
      const target = traffic.current(serviceId)?.target;
      if (target?.type !== 'container') throw new Error('no container is routed');
      return await (await fetch(`http://${target.address}:${target.port}${path}`)).text();
    },
    async aliasesOf(name) {
      const { NetworkSettings, Id } = await inspect(host.docker, name);
      const aliases: string[] = Object.values(NetworkSettings.Networks)[0]?.Aliases ?? [];
      return aliases.filter((alias) => !Id.startsWith(alias)); // Docker adds the short id
    },
    async retireNow() {
      for (const one of retirements.splice(0)) await retire(parts, one, AbortSignal.timeout(60_000));
    },
    async remove() {
      await names.stop();
      await createNft().apply(networkRulesRemoval(namesTable(host.docker.instance)));
      await git.close();
      await host.remove();
    },
  };
}

function thrown(error: unknown): Deployed['result'] {
  const { code, message } = error as { code?: unknown; message: string };
  return { outcome: 'threw', code, message };
}

function baseSpec(projectId: string): DeploySpec {
  const serviceId = testId('service');
  return {
    kind: 'deploy',
    projectId,
    serviceId,
    deploymentId: testId('deployment'),
    serviceSlug: serviceId.replace('_', '-'),
    source: { type: 'image', imageRef: 'node:24-slim' },
    build: {
      method: 'auto',
      dockerfilePath: null,
      installCommand: null,
      buildCommand: null,
      startCommand: null,
      staticOutput: null,
    },
    runtimeMode: 'web',
    internalPort: 8080,
    hostPort: 41999,
    hostnames: [`${serviceId.replace('_', '-')}.localhost`],
    healthCheckPath: null,
    memoryLimitMb: null,
    cpuLimit: null,
    warnings: [],
  };
}

/** A web app with a Dockerfile that answers `text` on PORT. */
export const webApp = (text: string): Record<string, string> => ({
  Dockerfile: 'FROM node:24-slim\nWORKDIR /app\nCOPY server.js .\nUSER node\nCMD ["node", "server.js"]\n',
  'server.js': `
    const server = require('node:http').createServer((request, response) => {
      if (request.url === '/missing') response.statusCode = 404;
      response.end(${JSON.stringify(text)} + ' ' + (process.env.GREETING ?? ''));
    });
    server.listen(process.env.PORT, () => console.log('listening'));
    process.on('SIGTERM', () => process.exit(0));
  `,
});

/** An app that answers with the id of its container, so that containers can be distinguished. */
export const namedApp = {
  ...webApp(''),
  'server.js': `
    // With volumes, its host name is that of the service.
    const mounts = require('node:fs').readFileSync('/proc/self/mountinfo', 'utf8');
    const name = /containers\\/([0-9a-f]{12})/.exec(mounts)[1];
    const server = require('node:http').createServer((request, response) => response.end(name));
    server.listen(process.env.PORT);
    process.on('SIGTERM', () => process.exit(0));
  `,
};
