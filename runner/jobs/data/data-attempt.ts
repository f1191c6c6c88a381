/** The parts of every data job: the running database, its engine, and its progress reports. */
import type { EngineName } from '../../../protocol/database.ts';
import type { JobFacts, JobPhase, JobProgress } from '../../../protocol/job-report.ts';
import type { BackupSpec } from '../../../protocol/job-spec.ts';
import { labels, stableContainerName } from '../../../protocol/names.ts';
import { crashPoint } from '../../base/crash-point.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { KeptWays } from '../../databases/kept-ways.ts';
import type { DockerHost } from '../../docker/client.ts';
import { environmentOf, listServiceContainers } from '../../docker/containers.ts';
import type { ReadDiskSpace } from '../../docker/disk-space.ts';
import { execTools } from '../../docker/exec-tools.ts';
import type { DataPlace, RestoreNames } from '../../engines/archive/archive.ts';
import type { DatabaseEngine } from '../../engines/database-engine.ts';
import { engines } from '../../engines/index.ts';
import { backupBytes } from '../../storage/backup-files.ts';
import type { JobContext } from '../job.ts';

export interface DataJobParts {
  docker: DockerHost;
  dataDirectory: string;
  controlPlaneUrl: string;
  /** RunnerConfig.networkRange. */
  networkRange: string;
  /** Removes data later: replaced data of a restore after a day, and loaded data of a failed restore at once. The task is journalled. */
  removeOldDataLater: (old: OldData) => void;
  readDiskSpace: ReadDiskSpace;
  /** Absent if no connections are kept. */
  ways?: Pick<KeptWays, 'withRoom'>;
}

/** The data that was live before a restore, or that never became live. */
export interface OldData {
  serviceId: string;
  engine: EngineName;
  suffix: string;
  /** The volume that is no longer live after an upgrade or its undo. */
  volume?: string;
  /** True for data that was never live: a failed restore or import has loaded it beside the live data, and it is removed at once. */
  isLoaded?: boolean;
  /** True for the volume of an upgraded version after an undo to the previous version. */
  isUndone?: boolean;
}

export interface DataAttempt {
  readonly parts: DataJobParts;
  readonly context: JobContext;
  readonly engine: DatabaseEngine;
  readonly place: DataPlace;
  /** The disk space of all of the service's backups on this host. With more than one backup, the estimate is too large. */
  readonly lastBackupBytes: number;
  /** The encryption of the job's backup; `undefined` if it is not encrypted. */
  readonly encryption: BackupSpec['encryption'];
  /** Reported with every phase. */
  readonly facts: JobFacts;
  enter(phase: JobPhase): void;
}

/** The shortest time between two progress reports: each report writes a row. */
const progressEveryMs = 3_000;

/** The reports of an attempt: its phases, each with the facts so far, its progress, and sentences for its log. */
export function reporting(context: JobContext) {
  const facts: JobFacts = {};
  let phase: JobPhase | undefined;
  let reportedAt = 0;
  const enter = (next: JobPhase) => {
    phase = next;
    delete facts.progress;
    context.enter(next, { ...facts });
    crashPoint(`${next}:begun`);
  };
  const progress = (news: JobProgress) => {
    facts.progress = news;
    const now = performance.now();
    if (phase === undefined || now - reportedAt < progressEveryMs) return;
    reportedAt = now;
    context.enter(phase, { ...facts });
  };
  const say = (sentence: string) => context.log.line('system', sentence);
  return { facts, enter, progress, say };
}

/** @throws JobFailure `database_down` when no database of this service is running */
export async function dataAttempt(
  parts: DataJobParts,
  { serviceId, engine, encryption }: Pick<BackupSpec, 'serviceId' | 'engine' | 'encryption'>,
  context: JobContext,
): Promise<DataAttempt> {
  const live = await findLive(parts, serviceId);
  const { facts, enter, progress, say } = reporting(context);
  const place = { ...live, signal: context.signal, progress, say };
  return {
    parts,
    context,
    engine: engines[engine],
    place,
    lastBackupBytes: await backupBytes(parts.dataDirectory, serviceId),
    encryption,
    facts,
    enter,
  };
}

/**
 * Removes the data of a failed attempt as soon as the server allows that: with a full disk it may be down, or refuse to drop anything. An
 * engine that loads into a separate volume leaves nothing in the server.
 */
export function removeLoadedLater(
  { parts, engine }: Pick<DataAttempt, 'parts' | 'engine'>,
  serviceId: string,
  { suffix }: RestoreNames,
): void {
  if (engine.restore === 'volume') return;
  parts.removeOldDataLater({ serviceId, engine: engine.name, suffix, isLoaded: true });
}

/** @throws JobFailure `database_down` */
export async function findLive(
  { docker }: Pick<DataJobParts, 'docker'>,
  serviceId: string,
): Promise<Pick<DataPlace, 'address' | 'env' | 'tools'>> {
  const containers = await listServiceContainers(docker, serviceId);
  const live = containers.find(({ name }) => name === stableContainerName(serviceId));
  const port = Number(live?.labels[labels.port]);
  if (!live?.running || live.address === null || !port) {
    throw new JobFailure('database_down', 'The database is not running: deploy it first.');
  }
  const address = { host: live.address, port };
  return { address, env: await environmentOf(docker, live.id), tools: execTools(docker, live.id) };
}

/** The error sentence of a failure that has changed nothing. @param words with or without a full stop at the end */
export const nothingChanged = (words: string) => `${words.replace(/[\s.]+$/, '')}. Nothing was changed.`;

/** The names for a restore, an import or a drill. An id consists of lower-case letters and digits after its prefix. */
export const restoreNames = (id: string): RestoreNames => ({ suffix: id.replace(/^.*_/, '') });
