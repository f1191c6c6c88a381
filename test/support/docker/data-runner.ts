/**
 * A runner process for tests that kill it during jobs on data: `node data-runner.ts <data directory> <instance> <control plane>`.
 * Daemon, journal, jobs and Docker are real. There is no proxy, because databases don't use it.
 */
import { systemClock } from '../../../runner/base/clock.ts';
import { createLogger } from '../../../runner/base/logger.ts';
import { createBuildScope } from '../../../runner/builder/build-scope.ts';
import { startDaemon } from '../../../runner/daemon.ts';
import { createDatabaseTls } from '../../../runner/database-tls/database-tls.ts';
import { connectDocker } from '../../../runner/docker/client.ts';
import { readDiskSpace } from '../../../runner/docker/disk-space.ts';
import { allBuilders } from '../../../runner/docker/image-build/builder.ts';
import { readFreeMemory } from '../../../runner/docker/memory.ts';
import { LiveNames } from '../../../runner/firewall/live-names.ts';
import { reconcile } from '../../../runner/host/reconcile.ts';
import { createJobs } from '../../../runner/jobs/index.ts';
import { deployLimits } from '../../../runner/jobs/parts/deploy-limits.ts';
import { memoryTraffic } from '../runner/memory-traffic.ts';
import { noContainerLogs } from '../runner/no-container-logs.ts';
import { noDomains } from '../runner/no-domains.ts';

const [, , dataDirectory = '', instance = '', controlPlaneUrl = ''] = process.argv;
const docker = connectDocker(instance);
const logger = createLogger();
const traffic = memoryTraffic();
const names = new LiveNames({ docker, traffic, logger });
const host = { docker, dataDirectory, traffic, names };

const daemon = await startDaemon({
  dataDirectory,
  logger,
  stopped: (error) => process.exit(error.exitCode),
  createHostWork: async ({ config, clock, chores }) => ({
    jobs: createJobs({
      ...host,
      controlPlaneUrl,
      networkRange: config.networkRange,
      allowPrivateSources: true,
      databasePorts: { first: 42_000, last: 42_999 },
      allowPrivateImports: true,
      readDiskSpace,
      readFreeMemory,
      builders: allBuilders,
      buildScope: createBuildScope(dataDirectory),
      limits: deployLimits,
      databaseTls: createDatabaseTls({
        dataDirectory,
        runnerId: instance,
        clock: systemClock,
        publicAddress: async () => '192.0.2.7', // RFC 5737: a documentation address
      }),
      retireLater: () => {},
      exchangedVolumes: new Set(),
      removeOldDataLater: (old) => chores.add('old', { ...old, dueAt: clock.now() }),
    }),
    chores: { old: () => new Promise(() => {}) },
    runTask: async () => ({ ok: true, detail: '' }),
    observe: async () => [],
    watch: async () => {},
    containerLogs: noContainerLogs,
    domains: noDomains,
    onAlerts: () => {},
    setAlertRules: () => {},
    setDrains: async () => {},
    answer: async () => ({ ok: true, detail: '' }),
    dockerFacts: async () => null,
    state: () => ({
      firewall: { firewall: 'missing', firewallProblem: 'Not set by a test.' },
      foreignPorts: [],
      lastUpgrade: null,
      trouble: null,
    }),
    reconcile: (unfinished) =>
      reconcile({ ...host, say: (line) => logger.info(line) }, () => ({
        ...unfinished(),
        containers: new Set<string>(),
      })),
    keepRunning: async () => {},
    stop: async () => {},
  }),
});
process.once('SIGTERM', () => void daemon.stop().then(() => process.exit(0)));
