/**
 * The real daemon on a simulated host, as a separate process so that it can be killed:
 * `node run-simulated-runner.ts <data directory>`, with SEED, TIMER_SPEED (its timers run that many times faster), CLOCK_SKEW_MS,
 * PHASE_MS and CRASH_AT in its environment. SIGUSR2 sets its clock forward by an hour; SIGUSR1 lets a
 * minute pass for its timers. ALWAYS_SUCCEEDS=yes: every deployment succeeds.
 * MEASURES=yes: it answers questions about metrics (simulated-metrics.ts). BUILD_LOG: a file whose lines each build prints.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { drainsPlace } from '../../../protocol/logs/drains.ts';
import { createLogger } from '../../../runner/base/logger.ts';
import { startDaemon } from '../../../runner/daemon.ts';
import { LogDrains } from '../../../runner/drains/log-drains.ts';
import { LogSearches } from '../../../runner/kept-logs/search/log-searches.ts';
import { systemResolve } from '../../../runner/source/system-resolve.ts';
import { noContainerLogs } from '../runner/no-container-logs.ts';
import { noDataJobs } from '../runner/no-data-jobs.ts';
import { noDomains } from '../runner/no-domains.ts';
import { simulatedBackupJob, simulatedRunJob } from './simulated-data-jobs.ts';
import { SimulatedHost } from './simulated-host.ts';
import { simulatedJob } from './simulated-job.ts';
import { simulatedManyMetrics, simulatedMetrics } from './simulated-metrics.ts';
import { skippingClock } from './skipping-clock.ts';

const settings = z
  .object({
    SEED: z.coerce.number().default(1),
    TIMER_SPEED: z.coerce.number().default(1),
    CLOCK_SKEW_MS: z.coerce.number().default(0),
    PHASE_MS: z.coerce.number().default(30),
    ALWAYS_SUCCEEDS: z.enum(['yes', 'no']).default('no'),
    MEASURES: z.enum(['yes', 'no']).default('no'),
    BUILD_LOG: z.string().optional(),
  })
  .parse(process.env);

const [, , dataDirectory = ''] = process.argv;
const host = new SimulatedHost(dataDirectory);
const searches = new LogSearches(host.keptLogs());

/** Its log drains are the real ones, to receivers on this machine. */
function startDrains(open: (sealed: string) => string): LogDrains {
  const drains = new LogDrains({
    // Another process writes the output, so the logs are read from disk again.
    logs: { of: (serviceId) => host.keptLogs().of(serviceId) },
    search: (ask) => searches.answer(ask),
    waitingBytesMax: 50e6,
    directory: join(dataDirectory, 'log-drains'),
    sender: { allowPrivate: true, resolve: systemResolve },
    ...{ open, clock, logger: createLogger() },
  });
  drains.start();
  return drains;
}

const clock = skippingClock(settings.TIMER_SPEED, settings.CLOCK_SKEW_MS);
process.on('SIGUSR2', () => clock.set(3_600_000));
let skips = Promise.resolve();
process.on('SIGUSR1', () => {
  skips = skips.then(() => clock.skip(60_000)).then(() => void process.stdout.write('a minute has passed\n'));
});

const daemon = await startDaemon({
  dataDirectory,
  clock,
  logger: createLogger(),
  stopped(error) {
    process.stdout.write(`stopped: ${error.code}\n`);
    process.exit(error.exitCode);
  },
  createHostWork: async ({ config, chores, openRequest }) => {
    const dataParts = { dataDirectory, controlPlaneUrl: config.url };
    const drains = startDrains((sealed) => openRequest(drainsPlace, sealed));
    return {
      jobs: {
        ...noDataJobs,
        backup: simulatedBackupJob(dataParts),
        run: simulatedRunJob(dataParts),
        deploy: simulatedJob({
          host,
          seed: settings.SEED,
          phaseMs: settings.PHASE_MS,
          alwaysSucceeds: settings.ALWAYS_SUCCEEDS === 'yes',
          buildLog: settings.BUILD_LOG ? readFileSync(settings.BUILD_LOG, 'utf8').split('\n') : null,
          retireLater: (deploymentId) => chores.add('retire', deploymentId),
        }),
      },
      chores: { retire: async (payload) => host.removeContainer(z.string().parse(payload)) },
      async runTask(task) {
        if (task.kind === 'remove-service') host.removeService(task.serviceId);
        return { ok: true, detail: 'done' };
      },
      observe: async () =>
        [...host.routes()].map(([serviceId, deploymentId]) => {
          const running = host.containers().has(deploymentId);
          return {
            serviceId,
            deploymentId,
            state: running ? ('running' as const) : ('stopped' as const),
            reachable: running,
          };
        }),
      watch: async () => {},
      containerLogs: noContainerLogs,
      domains: noDomains,
      onAlerts: (report) => host.watchAlerts(report),
      setAlertRules: () => {},
      setDrains: (sealed) => drains.set(sealed),
      async answer(ask) {
        if (ask.op === 'search-logs') return searches.answer(ask.search);
        if (settings.MEASURES === 'yes' && ask.op === 'metrics') return simulatedMetrics(ask);
        if (settings.MEASURES === 'yes' && ask.op === 'many-metrics') return simulatedManyMetrics(ask);
        if (ask.op === 'drain-status') return drains.statusOf(ask.drainId);
        if (ask.op === 'test-drain') return drains.test(openRequest(ask.op, ask.sealed));
        return { ok: true, detail: '' };
      },
      dockerFacts: async () => null,
      state: () => ({
        firewall: { firewall: 'missing', firewallProblem: 'Not set by a test.' },
        foreignPorts: [],
        lastUpgrade: null,
        trouble: null,
      }),
      /** Like the real daemon: a container that neither serves, nor retires, nor is about to be recovered has no owner. */
      async reconcile(unfinished) {
        const serving = new Set(host.routes().values());
        const retiring = new Set(chores.pending('retire').map((payload) => z.string().parse(payload)));
        for (const deployment of host.containers().keys()) {
          if (serving.has(deployment) || retiring.has(deployment) || unfinished().deployments.has(deployment))
            continue;
          host.removeContainer(deployment);
        }
      },
      keepRunning: async () => {},
      stop: () => drains.stop(),
    };
  },
});
process.stdout.write('started\n');
process.once('SIGTERM', () => void daemon.stop().then(() => process.exit(0)));
// A child must not outlive its test.
process.stdin.resume().once('end', () => process.exit(0));
