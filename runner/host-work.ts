/** Everything the runner does to its host, as the daemon needs it: Docker, proxy, jobs, tasks, chores. */
import type { HostTask, ProxyResult } from '../protocol/host-task.ts';
import type { RunnerConfig } from './config.ts';
import type { ObservedService } from './connection/observation-sender.ts';
import { connectDocker, dockerVersion } from './docker/client.ts';
import { watchContainers } from './docker/events.ts';
import { observe } from './docker/observe.ts';
import { createHostTasks, runHostTask } from './host-tasks/host-tasks.ts';
import { type Retirement, retire, retirementSchema } from './jobs/deploy/retire.ts';
import { createJobs } from './jobs/index.ts';
import type { JobRegistry } from './jobs/job.ts';
import type { Logger } from './logger.ts';
import { startProxy } from './proxy/start-proxy.ts';
import { type Claims, reconcile } from './reconcile.ts';
import { reservePorts } from './reserved-ports.ts';
import type { ChoreHandlers, Chores } from './scheduling/chores.ts';

export interface HostWork {
  jobs: JobRegistry;
  chores: ChoreHandlers;
  /** @throws Error when the task should be tried again */
  runTask(task: HostTask): Promise<ProxyResult>;
  observe(): Promise<ObservedService[]>;
  /** Calls back whenever `observe` may have changed, until the signal is aborted. */
  watch(onChange: () => void, signal: AbortSignal): Promise<void>;
  probe(hostname: string): Promise<ProxyResult>;
  dockerVersion(): Promise<string | null>;
  /** Brings what is on the host in line. @param unfinished tells the deployments whose jobs run or are to be recovered */
  reconcile(unfinished: () => ReadonlySet<string>): Promise<void>;
  /** Ends what belongs to this process; apps, edge and Caddy go on serving. */
  stop(): Promise<void>;
}

export interface HostWorkParts {
  config: RunnerConfig;
  dataDirectory: string;
  logger: Logger;
  chores: Pick<Chores, 'add' | 'pending'>;
}

export type CreateHostWork = (parts: HostWorkParts) => Promise<HostWork>;

const retireChore = 'retire';

/** Brings the data path up. @throws ProxyError whose sentence says what is in the way */
export const createHostWork: CreateHostWork = async ({ config, dataDirectory, logger, chores }) => {
  const docker = connectDocker(config.runnerId);
  const report = (sentence: string) => logger.warn(sentence);
  if (!(await reservePorts([config.webPorts, config.databasePorts]))) {
    report(
      'The ports of the services could not be reserved (ip_local_reserved_ports); run as root to have it done.',
    );
  }
  const proxy = await startProxy({ dataDir: dataDirectory, config, report });
  const { traffic } = proxy;
  const host = { docker, traffic, dataDirectory };
  const tasks = createHostTasks(host);
  return {
    jobs: createJobs({
      ...host,
      networkRange: config.networkRange,
      allowPrivateSources: config.allowPrivate.includes('git'),
      retireLater: (retirement: Retirement) => chores.add(retireChore, retirement),
    }),
    chores: {
      [retireChore]: (payload, signal) => retire(host, retirementSchema.parse(payload), signal),
    },
    runTask: (task) => runHostTask(tasks, task),
    observe: () => observe(host),
    watch: (onChange, signal) => watchContainers(docker, onChange, signal),
    probe: (hostname) => traffic.probe(hostname),
    dockerVersion: () => dockerVersion(docker),
    reconcile: (unfinished) =>
      reconcile({ ...host, say: (line) => logger.info(line) }, () => ({
        deployments: unfinished(),
        containers: claimedContainers(chores),
      })),
    stop: () => proxy.stop(),
  };
};

/** Containers that a chore is to remove after their connections have ended. */
function claimedContainers(chores: Pick<Chores, 'pending'>): Claims['containers'] {
  const retirements = chores.pending(retireChore).map((payload) => retirementSchema.safeParse(payload).data);
  return new Set(retirements.flatMap((one) => (one?.kind === 'container' ? [one.containerId] : [])));
}
