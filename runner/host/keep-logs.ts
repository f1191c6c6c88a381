/** Keeps the logs of this host's services, and searches in them. */
import { join } from 'node:path';
import type { LogSearch, LogSearchAnswer } from '../../protocol/logs/kept-logs.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { appContainerState, listAppContainers } from '../docker/apps/app-containers.ts';
import type { DockerHost } from '../docker/client.ts';
import type { ExitHistory } from '../docker/events.ts';
import { readLog } from '../docker/follow-log.ts';
import { KeptLogs, serviceBytesMin } from '../kept-logs/kept-logs.ts';
import { LogKeeper } from '../kept-logs/log-keeper.ts';
import { LogSearches } from '../kept-logs/search/log-searches.ts';
import type { RunnerConfig } from '../setup/config.ts';

export interface HostLogs {
  /** Containers were started, stopped or removed. */
  changed(): void;
  search(ask: LogSearch): Promise<LogSearchAnswer>;
  /** Removes the log of a service for good. */
  remove(serviceId: string): void;
  stop(): void;
}

export interface HostLogsParts {
  docker: DockerHost;
  dataDirectory: string;
  config: Pick<RunnerConfig, 'keptLogMb' | 'keptLogTotalMb' | 'keptLogDays'>;
  exits: Pick<ExitHistory, 'of'>;
  clock: Clock;
  logger: Logger;
}

const dayMs = 24 * 3_600_000;

export const keptLogsDirectory = (dataDirectory: string) => join(dataDirectory, 'logs');

export function startHostLogs({
  docker,
  dataDirectory,
  config,
  exits,
  clock,
  logger,
}: HostLogsParts): HostLogs {
  const { keptLogMb, keptLogTotalMb, keptLogDays } = config;
  const logs = new KeptLogs({
    directory: keptLogsDirectory(dataDirectory),
    limits: {
      serviceBytes: Math.max(serviceBytesMin, keptLogMb * 1e6),
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
  return {
    changed: () => keeper.changed(),
    search: (ask) => searches.answer(ask),
    remove: (serviceId) => logs.remove(serviceId),
    stop: () => keeper.stop(),
  };
}
