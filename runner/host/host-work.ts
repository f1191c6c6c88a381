/** The whole work of the daemon on its host: Docker, proxy, jobs, tasks, chores. */
import type { HostRequest } from '../../protocol/host-request.ts';
import type { HostTask, ProxyResult } from '../../protocol/host-task.ts';
import { type Clock, pause } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { createBuildCaps } from '../build-caps/build-caps.ts';
import { createBuildScope } from '../builder/build-scope.ts';
import { createDatabaseTls } from '../database-tls/database-tls.ts';
import { startRenewalWatch } from '../database-tls/renewal-watch.ts';
import { watchFull } from '../databases/full-watch.ts';
import { KeptWays } from '../databases/kept-ways.ts';
import { cleanUp, cleanUpLimits } from '../docker/clean-up.ts';
import { connectDocker } from '../docker/client.ts';
import { readDiskSpace, readFreeBytes } from '../docker/disk-space.ts';
import { type DockerFacts, readDockerFacts } from '../docker/docker-facts.ts';
import { ExitHistory, watchContainers } from '../docker/events.ts';
import { loggedContainers, readLog } from '../docker/follow-log.ts';
import { allBuilders } from '../docker/image-build/builder.ts';
import { readFreeMemory } from '../docker/memory.ts';
import { Troubles } from '../docker/troubles.ts';
import { Firewall } from '../firewall/firewall.ts';
import { LiveNames } from '../firewall/live-names.ts';
import { keptMsOf } from '../jobs/data/old-data.ts';
import { createJobs } from '../jobs/index.ts';
import type { JobRegistry } from '../jobs/job.ts';
import { deployLimits } from '../jobs/parts/deploy-limits.ts';
import { type Retirement, retireChore, retiredContainers } from '../jobs/parts/retire.ts';
import { type HostMetrics, startMetrics } from '../metrics/metrics.ts';
import { proxyPaths } from '../proxy/proxy-paths.ts';
import { startProxy } from '../proxy/start-proxy.ts';
import { removeLeftNames } from '../registry/left-names.ts';
import type { TailParts } from '../runtime-logs/runtime-tail.ts';
import type { ChoreHandlers, Chores } from '../scheduling/chores.ts';
import type { RunnerConfig } from '../setup/config.ts';
import { readUpgradeRecord } from '../setup/upgrade-record.ts';
import { knownVolumes } from '../storage/known-volumes.ts';
import { choreHandlers, oldDataChore } from './chore-handlers.ts';
import { claimPorts } from './claim-ports.ts';
import { startCleanUpWatch } from './clean-up-watch.ts';
import { startDiskWatch } from './disk-watch.ts';
import type { DomainSource } from './domains/domain-source.ts';
import { watchDomains } from './domains/watch-domains.ts';
import { answerHostRequest, createHostAnswers, type HostAnswerParts } from './host-answers.ts';
import { type HostState, publicAddress } from './host-facts.ts';
import { type HostLogs, startHostLogs } from './keep-logs.ts';
import { keepRunning } from './keep-running.ts';
import { type ObservedService, observe } from './observe.ts';
import { type Claims, reconcile } from './reconcile.ts';
import { watchReplicas } from './replica-watch.ts';
import { RunningParts } from './running-parts.ts';
import { watchSleep } from './sleep/sleep-watch.ts';
import { connectionsOf, createSleeper } from './sleep/sleeper.ts';
import { createHostTasks, runHostTask } from './tasks/host-tasks.ts';
import { watchVolumes } from './volume-watch.ts';

export interface HostWork
  extends Pick<HostMetrics, 'onAlerts' | 'setAlertRules'>,
    Pick<HostLogs, 'setDrains'> {
  jobs: JobRegistry;
  chores: ChoreHandlers;
  /** @throws Error when the task should be retried */
  runTask(task: HostTask): Promise<ProxyResult>;
  observe(): Promise<ObservedService[]>;
  /** Calls `onChange` whenever `observe` may return something new, until the signal is aborted. */
  watch(onChange: () => void, signal: AbortSignal): Promise<void>;
  containerLogs: TailParts['host'];
  domains: DomainSource;
  /** Answers a request for a waiting client. @throws Error whose message is the reason why there is no answer */
  answer(ask: HostRequest): Promise<unknown>;
  /** @returns `null` if Docker does not answer */
  dockerFacts(): Promise<DockerFacts | null>;
  /** The state of the firewall and of the last upgrade, for the facts. */
  state(): HostState;
  /** Brings the host in line with routes, jobs and chores. @param unfinished returns the objects of jobs that run or must be recovered */
  reconcile(unfinished: () => Omit<Claims, 'containers'>): Promise<void>;
  /** Starts stopped containers that should run, until the signal is aborted. @param hasJob returns true if a job works on this service */
  keepRunning(hasJob: (serviceId: string) => boolean, signal: AbortSignal): Promise<void>;
  /**
   * Stops the parts of this process; apps, edge and Caddy keep running.
   * @param isRevoked the control plane no longer knows this host: edge and Caddy also end if they serve nothing
   */
  stop(isRevoked: boolean): Promise<void>;
}

export interface HostWorkParts {
  config: RunnerConfig;
  dataDirectory: string;
  logger: Logger;
  clock: Clock;
  chores: Pick<Chores, 'add' | 'pending'>;
  openRequest: HostAnswerParts['openRequest'];
}

export type CreateHostWork = (parts: HostWorkParts) => Promise<HostWork>;

/** The start waits this long for the firewall rules, so that the first hello reports them. */
const firewallFirstMs = 5_000;

/** Starts the proxy and all other parts. @throws ProxyError with the reason against the start; then no part of this call continues to run */
export const createHostWork: CreateHostWork = async (parts) => {
  const running = new RunningParts();
  try {
    return await startParts(parts, running);
  } catch (error) {
    await running.stop().catch(() => undefined); // report the reason that prevented the start
    throw error;
  }
};

async function startParts(parts: HostWorkParts, running: RunningParts): Promise<HostWork> {
  const { config, dataDirectory, logger, clock, chores, openRequest } = parts;
  const volumes = knownVolumes(dataDirectory);
  const docker = connectDocker(config.runnerId, {
    networkCreated: () => firewall.sync(),
    containerCreated: () => names.sync(),
    volumes,
  });
  const firewall = running.add(new Firewall({ docker, config, dataDirectory, clock, logger }));
  const report = (sentence: string) => logger.warn(sentence);
  await claimPorts(config, dataDirectory, report);
  // Docker may hang or be slow. Jobs that need it wait for it, too, but visitors must not: without edge they wait for 5 s.
  const rulesFirst = Promise.race([firewall.sync(), pause(clock, firewallFirstMs)]);
  let servicesChanged = () => {};
  const changed = () => servicesChanged();
  const proxy = await startProxy({ dataDir: dataDirectory, config, report, changed, clock });
  let isHostRevoked = false;
  running.add({ stop: () => (isHostRevoked ? endProxy() : proxy.stop()) });
  await rulesFirst;
  firewall.start();
  const { traffic } = proxy;
  const names = running.add(new LiveNames({ docker, traffic, logger }).start(clock));
  const host = { docker, traffic, dataDirectory, names };
  const cleanUpAll = async () => {
    await removeLeftNames(docker);
    return cleanUp(docker, await cleanUpLimits(docker, config.buildCacheMb));
  };
  const cleanUpWatch = running.add(startCleanUpWatch({ run: cleanUpAll, clock, logger }));
  const retireLater = (retirement: Retirement) => {
    chores.add(retireChore, retirement);
    cleanUpWatch.soon();
  };
  const exits = new ExitHistory();
  const troubles = new Troubles(docker, exits);
  const exchangedVolumes = new Set<string>();
  const watched = { docker, clock, logger };
  const disk = running.add(
    startDiskWatch({ ...watched, freeBytes: readFreeBytes(docker), exchangedVolumes }),
  );
  const { requestLog, wakes } = proxyPaths(dataDirectory);
  const logs = running.add(startHostLogs({ ...watched, dataDirectory, config, openRequest, exits }));
  const measured = { ...host, ...watched, exits, disk, requestLog, accessLogs: logs.accessLogs };
  const metrics = running.add(startMetrics({ ...measured, metricsPort: config.metricsPort }));
  const replicas = running.add(watchReplicas({ traffic, names, clock, logger, exits }));
  running.add(
    watchSleep({
      ...{ traffic, wakes, clock, logger, changed },
      note: logs.note,
      sleeper: createSleeper({ docker, traffic, wakes }),
      requests: (serviceId) => metrics.latest()?.samples.get(serviceId)?.values.requests ?? 0,
      connections: (route) => connectionsOf(docker, route),
    }),
  );
  const ways = new KeptWays();
  const full = running.add(watchFull({ docker, clock, ways, latest: metrics.latest, changed }));
  const lost = running.add(watchVolumes({ ...watched, known: volumes, changed }));
  const domains = running.add(watchDomains({ ...proxy, openRequest, config, clock }));
  const tasks = createHostTasks({
    ...host,
    retireLater,
    checkDomainsSoon: (serviceId) => domains.checkSoon(serviceId),
    removeLogs: (id) => logs.remove(id),
  });
  const databaseTls = createDatabaseTls({
    ...{ dataDirectory, clock, runnerId: config.runnerId },
    publicAddress: () => publicAddress(config),
  });
  const renew = async () => {
    const { renewCertificates } = await import('../database-tls/renew-certificates.ts');
    await renewCertificates({ docker, tls: databaseTls, clock, logger });
  };
  running.add({ stop: startRenewalWatch({ renew, clock, logger }) });
  const endProxy = async () => {
    if (!(await proxy.retire()))
      report('The proxy keeps running: it still serves apps or sites of this host.');
  };
  const { networkRange, databasePorts, baseImages } = config;
  const backups = { dataDirectory, controlPlaneUrl: config.url, logger };
  const allowPrivateSources = config.allowPrivate.includes('git');
  const asked = { ...host, clock, databaseTls, openRequest, backups, metrics, logs, allowPrivateSources };
  const answers = running.add(createHostAnswers({ ...proxy, ...asked }));
  return {
    jobs: createJobs({
      ...host,
      ...{ controlPlaneUrl: config.url, networkRange, databasePorts, baseImages },
      allowPrivateSources,
      allowPrivateImports: config.allowPrivate.includes('import'),
      ...{ databaseTls, readDiskSpace, readFreeMemory },
      builders: allBuilders,
      limits: deployLimits,
      buildScope: createBuildScope(dataDirectory),
      buildCaps: createBuildCaps({ settings: config, instance: config.runnerId, report }),
      retireLater,
      ...{ exchangedVolumes, ways },
      removeOldDataLater: (old) => chores.add(oldDataChore, { ...old, dueAt: clock.now() + keptMsOf(old) }),
    }),
    chores: choreHandlers(host, clock),
    runTask: (task) => runHostTask(tasks, task),
    observe: () => observe({ ...host, troubles, disk, full, lost, foreignPorts: proxy.foreignPorts }),
    watch: (onChange, signal) => {
      servicesChanged = onChange;
      const changed = (serviceId?: string) => {
        metrics.containersChanged();
        replicas.changed(serviceId);
        void names.sync(); // a replica that has ended gets no more connections
        logs.changed();
        onChange();
      };
      return watchContainers(docker, exits, changed, signal, () => replicas.dockerAway());
    },
    containerLogs: {
      loggedContainers: (serviceId) =>
        loggedContainers(docker, serviceId, { stopReason: (id) => disk.stopReason(id), exits }),
      readLog: (id, range, signal) => readLog(docker, id, range, signal),
    },
    domains,
    onAlerts: (report) => metrics.onAlerts(report),
    setAlertRules: (rules) => metrics.setAlertRules(rules),
    setDrains: (sealed) => logs.setDrains(sealed),
    answer: (ask) => answerHostRequest(answers, ask),
    dockerFacts: () => readDockerFacts(docker),
    state: () => ({
      firewall: firewall.state,
      foreignPorts: proxy.foreignPorts(),
      lastUpgrade: readUpgradeRecord(dataDirectory),
      trouble: proxy.trouble(),
    }),
    reconcile: (unfinished) =>
      reconcile({ ...host, say: (line) => logger.info(line) }, () => ({
        ...unfinished(),
        containers: retiredContainers(chores),
      })),
    keepRunning: (hasJob, signal) =>
      keepRunning({ ...host, ...watched, exits, hasJob, stopReason: (id) => disk.stopReason(id) }, signal),
    async stop(isRevoked) {
      isHostRevoked = isRevoked;
      await running.stop();
    },
  };
}
