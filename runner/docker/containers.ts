/** Creates, finds, starts, stops, renames and removes containers. */
import type Docker from 'dockerode';
import { z } from 'zod';
import { defaultStopGraceSeconds } from '../../protocol/container-settings.ts';
import { labels, replicaName, stableContainerName } from '../../protocol/names.ts';
import { hearsStop, type MainProcess, stopBelow, type VainWait } from '../base/deaf-process.ts';
import { openFilesCeiling } from '../base/open-files-ceiling.ts';
import { call, type DockerHost, ownedBy } from './client.ts';
import { type ContainerRequest, containerOptions } from './container-options.ts';
import { DockerError, isConflict, isNotFound } from './docker-error.ts';
import { getsInit } from './init-process.ts';
import { endingPeers } from './peers/end-peers.ts';

/** Additional time for the kill after the grace period. */
const killMs = 20_000;

/** The facts of a container that the runner uses. */
export interface ContainerFacts {
  id: string;
  name: string;
  labels: Record<string, string>;
  running: boolean;
  restarting: boolean;
  restarts: number;
  exitCode: number;
  outOfMemory: boolean;
  /** Epoch milliseconds. */
  createdAt: number;
  /** Epoch milliseconds of the last start; 0 if the container has never run. */
  startedAt: number;
  /** `null` without a limit. */
  memoryLimitMb: number | null;
  /** True if the container was created with a named volume: two containers must not run on the same data. */
  hasDataVolume: boolean;
  /** Docker's status of the image's HEALTHCHECK; `null` if the image has none. */
  health: 'starting' | 'healthy' | 'unhealthy' | null;
  /** Process id of the main process on the host; 0 if the container does not run. */
  pid: number;
  /** True while a program runs in it that Docker has added: a shell, a command, a health check. */
  hasExec: boolean;
  /** The fixed address on the project's network; `null` if the container is on no network. */
  address: string | null;
}

/** Docker reports `none`, or nothing, for an image without HEALTHCHECK. */
const healthSchema = z.enum(['starting', 'healthy', 'unhealthy']);

/** Creates a container without starting it. Its limit of open files is at most what Docker can set here. @returns its id */
export async function createContainer(host: DockerHost, request: ContainerRequest): Promise<string> {
  const { limits } = request;
  const init = request.database === undefined && (await getsInit(host, request));
  const openFiles = limits?.openFiles ? Math.min(limits.openFiles, await openFilesCeiling()) : null;
  return await createWithVolumes(
    host,
    containerOptions({ ...request, init, limits: limits && { ...limits, openFiles } }),
  );
}

/**
 * Creates a container. Docker fills an empty volume from the image, which is safe only while no other container has the volume: Docker
 * writes as root on the host and follows links, so a container with the same volume could make it write to any path of the host.
 * @returns its id
 * @throws DockerError
 */
export async function createWithVolumes(
  host: DockerHost,
  options: Docker.ContainerCreateOptions,
): Promise<string> {
  const mounts = (options.HostConfig?.Mounts ?? []).map(async (mount) => {
    const holders = await call('list the containers', () =>
      host.engine.listContainers({ all: true, filters: { volume: [mount.Source] } }),
    );
    return { ...mount, VolumeOptions: { ...noVolumeOptions, NoCopy: holders.length > 0 } };
  });
  const HostConfig = { ...options.HostConfig, Mounts: await Promise.all(mounts) };
  const { id } = await call('create the container', () =>
    host.engine.createContainer({ ...options, HostConfig }),
  );
  return id;
}

/** Docker's defaults. */
const noVolumeOptions = { Labels: {}, DriverConfig: { Name: '', Options: {} } };

/** Starts a container; does nothing if it is already running. */
export async function startContainer(host: DockerHost, id: string): Promise<void> {
  await call('start the container', () => host.engine.getContainer(id).start()).catch((error) => {
    if (!(error instanceof DockerError && error.status === 304)) throw error;
  });
}

/** The environment that a container was created with, including its image's variables. */
export async function environmentOf(host: DockerHost, id: string): Promise<Record<string, string>> {
  const { Config } = await call('inspect the container', () => host.engine.getContainer(id).inspect());
  return environmentIn(Config.Env);
}

/** Id of the image from which a container was created. The image's tag may have moved to another image since. */
export async function imageOf(host: DockerHost, id: string): Promise<string> {
  const { Image } = await call('inspect the container', () => host.engine.getContainer(id).inspect());
  return Image;
}

/** @param entries `KEY=value`, in Docker's form */
export function environmentIn(entries: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    entries.map((entry) => {
      const at = entry.indexOf('=');
      return [entry.slice(0, at), entry.slice(at + 1)];
    }),
  );
}

/** @throws DockerError with status 404 when there is no container with this id or name */
export async function inspectContainer(
  host: DockerHost,
  id: string,
  signal?: AbortSignal,
): Promise<ContainerFacts> {
  const { Id, Name, Created, Config, HostConfig, State, RestartCount, NetworkSettings, ExecIDs } = await call(
    'inspect the container',
    (abortSignal) => host.engine.getContainer(id).inspect({ abortSignal }),
    { signal },
  );
  const endpoint = Object.values(NetworkSettings.Networks)[0];
  return {
    id: Id,
    name: Name.replace(/^\//, ''),
    labels: Config.Labels,
    running: State.Running,
    restarting: State.Restarting,
    restarts: RestartCount,
    exitCode: State.ExitCode,
    outOfMemory: State.OOMKilled,
    createdAt: Date.parse(Created),
    startedAt: Math.max(0, Date.parse(State.StartedAt)),
    memoryLimitMb: HostConfig.Memory ? HostConfig.Memory / 2 ** 20 : null,
    hasDataVolume: (HostConfig.Mounts ?? []).some(({ Type }) => Type === 'volume'),
    health: healthSchema.safeParse(State.Health?.Status).data ?? null,
    pid: State.Pid,
    hasExec: (ExecIDs ?? []).length > 0,
    address: endpoint?.IPAMConfig?.IPv4Address || endpoint?.IPAddress || null,
  };
}

/** Containers of this instance with these labels, running or not. */
export async function listContainers(
  host: DockerHost,
  withLabels: Record<string, string> = {},
): Promise<ContainerFacts[]> {
  const found = await call('list the containers', (abortSignal) =>
    host.engine.listContainers({ all: true, filters: ownedBy(host, withLabels), abortSignal }),
  );
  const facts = await Promise.all(
    found.map((one) =>
      inspectContainer(host, one.Id).catch((error) => {
        if (isNotFound(error)) return undefined; // removed in the meantime
        throw error;
      }),
    ),
  );
  return facts.filter((one) => one !== undefined);
}

/** A service's containers that are or may become live. */
export const listServiceContainers = (host: DockerHost, serviceId: string) =>
  listContainers(host, { [labels.service]: serviceId, [labels.role]: 'app' });

/** The index of a replica, from 0; that of the only container is 0. */
export const replicaOf = (of: Readonly<Record<string, string>>) => Number(of[labels.replica] || 0);

/** The name of a container while its version is live. @param of its labels */
export const liveNameOf = (of: Readonly<Record<string, string>>) =>
  replicaName(stableContainerName(of[labels.service] ?? ''), replicaOf(of));

export const hasLiveName = ({ name, labels: of }: Pick<ContainerFacts, 'name' | 'labels'>) =>
  name === liveNameOf(of);

/**
 * Sends the stop signal, and SIGKILL after the grace period. If the first process ignores the signal, its children get the signal and the
 * time, and the container is killed after them. Does nothing if the container is stopped or gone.
 * @param usualGraceSeconds for a container without its own grace period
 * @returns the time waited in vain before the kill; `undefined` if the container ended by itself
 */
export async function stopContainer(
  host: DockerHost,
  id: string,
  usualGraceSeconds = defaultStopGraceSeconds,
): Promise<VainWait | undefined> {
  const main = await mainProcess(host, id);
  const graceSeconds = main?.graceSeconds ?? usualGraceSeconds;
  const isDeaf = main !== undefined && !(await hearsStop(main));
  const isKilled = await endingPeers(host, main, async () => {
    const ended = isDeaf ? await stopBelowMain(host, main, graceSeconds) : true;
    const waitSeconds = isDeaf ? 0 : graceSeconds;
    const from = performance.now();
    await call('stop the container', () => host.engine.getContainer(id).stop({ t: waitSeconds }), {
      timeoutMs: waitSeconds * 1000 + killMs,
    }).catch((error) => {
      if (error.status !== 304 && !isNotFound(error)) throw error; // the container is already stopped
    });
    return isDeaf ? !ended : performance.now() - from >= graceSeconds * 1000;
  });
  return main && isKilled && graceSeconds > 0
    ? { seconds: graceSeconds, signal: main.stopSignal }
    : undefined;
}

/** @returns undefined if the container is gone */
async function mainProcess(host: DockerHost, id: string): Promise<MainProcess | undefined> {
  try {
    const { Config, State } = await call('inspect the container', () =>
      host.engine.getContainer(id).inspect(),
    );
    // Docker's types leave both out. An empty signal is Docker's default.
    const { StopSignal, StopTimeout } = Config as { StopSignal?: string; StopTimeout?: number | null };
    const graceSeconds = StopTimeout ?? undefined;
    return { id, pid: State.Pid, stopSignal: StopSignal || 'SIGTERM', graceSeconds };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Docker first gets a signal that changes nothing: otherwise it would start the container again when its last program ends. */
async function stopBelowMain(host: DockerHost, main: MainProcess, graceSeconds: number): Promise<boolean> {
  const container = host.engine.getContainer(main.id);
  await call('signal the container', () => container.kill({ signal: main.stopSignal })).catch((error) => {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  });
  return stopBelow(main, graceSeconds * 1000);
}

/** Removes a container with its anonymous volumes, killing it if it runs. Does nothing if it is gone. */
export async function removeContainer(host: DockerHost, idOrName: string): Promise<void> {
  await call('remove the container', () =>
    host.engine.getContainer(idOrName).remove({ force: true, v: true }),
  ).catch((error) => {
    // 409: another call is removing it right now.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  });
}

/** Renames a container; does nothing if it already has the name. */
export async function renameContainer(
  host: DockerHost,
  container: ContainerFacts,
  name: string,
): Promise<void> {
  if (container.name === name) return;
  await call('rename the container', () => host.engine.getContainer(container.id).rename({ name }));
}
