/** Keeps the logs of this host's services, and searches in them. */
import { join } from 'node:path';
import { type DrainStatus, type DrainTest, drainsPlace } from '../../protocol/logs/drains.ts';
import type { LogSearch, LogSearchAnswer } from '../../protocol/logs/kept-logs.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { appContainerState, listAppContainers } from '../docker/apps/app-containers.ts';
import type { DockerHost } from '../docker/client.ts';
import type { ExitHistory } from '../docker/events.ts';
import { readLog } from '../docker/follow-log.ts';
import { LogDrains } from '../drains/log-drains.ts';
import { AccessLogs } from '../kept-logs/access-logs.ts';
import { KeptLogs, serviceBytesMin } from '../kept-logs/kept-logs.ts';
import { LogKeeper } from '../kept-logs/log-keeper.ts';
import { LogSearches } from '../kept-logs/search/log-searches.ts';
import type { RunnerConfig } from '../setup/config.ts';
import { systemResolve } from '../source/system-resolve.ts';

export interface HostLogs {
  /** Containers were started, stopped or removed. */
  changed(): void;
  accessLogs: AccessLogs;
  /** Adds a line of the platform. On a full disk the line is lost. */
  note(of: { serviceId: string; deploymentId: string }, text: string): void;
  search(ask: LogSearch): Promise<LogSearchAnswer>;
  /** Removes the log of a service permanently. */
  remove(serviceId: string): void;
  /** Sends lines to these drains and to no others. Never rejects. @param sealed `null` if there are none */
  setDrains(sealed: string | null): Promise<void>;
  /** @returns `null` if this host does not have the drain */
  drainStatus(drainId: string): DrainStatus | null;
  /** Sends one line. @param receiver JSON. @throws Error if it is invalid */
  testDrain(receiver: string): Promise<DrainTest>;
  /** Ends within a second. */
  stop(): Promise<void>;
}

export interface HostLogsParts {
  docker: DockerHost;
  dataDirectory: string;
  config: Pick<RunnerConfig, 'keptLogMb' | 'keptLogTotalMb' | 'keptLogDays' | 'allowPrivate'>;
  openRequest(op: string, sealed: string): string;
  exits: Pick<ExitHistory, 'of'>;
  clock: Clock;
  logger: Logger;
}

const dayMs = 24 * 3_600_000;
/** The share of a service's kept log that may wait for a drain: older lines would soon be removed. */
const waitingShare = 0.5;

export const keptLogsDirectory = (dataDirectory: string) => join(dataDirectory, 'logs');

export function startHostLogs({
  docker,
  dataDirectory,
  config,
  openRequest,
  exits,
  clock,
  logger,
}: HostLogsParts): HostLogs {
  const { keptLogMb, keptLogTotalMb, keptLogDays } = config;
  const serviceBytes = Math.max(serviceBytesMin, keptLogMb * 1e6);
  const logs = new KeptLogs({
    directory: keptLogsDirectory(dataDirectory),
    limits: {
      serviceBytes,
      totalBytes: keptLogTotalMb === null ? null : keptLogTotalMb * 1e6,
      ageMs: keptLogDays * dayMs,
    },
    clock,
    logger,
  });
  const keeper = new LogKeeper({
    list: () => listAppContainers(docker),
    state: (id) => appContainerState(docker, id),
    readLog: (id, range, signal) => readLog(docker, id, range, signal),
    exitsOf: (id) => exits.of(id),
    ...{ logs, clock, logger },
  });
  keeper.start();
  const searches = new LogSearches(logs);
  // Each drain waits for at most one search, so the number of waiting searches is limited.
  const drainSearches = new LogSearches(logs, { waiting: Number.POSITIVE_INFINITY });
  const drains = new LogDrains({
    ...{ logs, clock, logger },
    search: (ask) => drainSearches.answer(ask),
    waitingBytesMax: serviceBytes * waitingShare,
    directory: join(dataDirectory, 'log-drains'),
    sender: { allowPrivate: config.allowPrivate.includes('drain'), resolve: systemResolve },
    open: (sealed) => openRequest(drainsPlace, sealed),
  });
  drains.start();
  return {
    changed: () => keeper.changed(),
    accessLogs: new AccessLogs(logs, clock),
    note: (of, text) => logs.note(of, text),
    search: (ask) => searches.answer(ask),
    remove: (serviceId) => logs.remove(serviceId),
    setDrains: (sealed) => drains.set(sealed),
    drainStatus: (drainId) => drains.statusOf(drainId),
    testDrain: (receiver) => drains.test(receiver),
    async stop() {
      keeper.stop();
      await drains.stop();
    },
  };
}
