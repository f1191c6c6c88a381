/** Containers: made by one policy, found by label, moved between names and aliases. */
import type Docker from 'dockerode';
import { labels } from '../../protocol/names.ts';
import { call, type DockerHost, ownedBy } from './client.ts';
import { DockerError, isConflict, isNotFound } from './docker-error.ts';

/**
 * What is left of Docker's default capabilities: those that the entrypoints of common images need to give files to
 * their user and to step down to it. Dropped: AUDIT_WRITE, MKNOD, NET_RAW, SETFCAP, SETPCAP, SYS_CHROOT.
 */
const keptCapabilities = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'NET_BIND_SERVICE',
  'SETGID',
  'SETUID',
];

/** Enough for a busy server with threads, and a fork bomb ends there. */
const pidsLimit = 4096;
/** Docker's `local` driver compresses and rotates; runtime logs are read from here. */
const logRotation = { Type: 'local', Config: { 'max-size': '10m', 'max-file': '3' } };
/** Time between SIGTERM and SIGKILL. */
export const stopGraceSeconds = 10;
/** A stop may take the grace period and the kill after it. */
const stopTimeoutMs = (stopGraceSeconds + 20) * 1000;

export interface ContainerRequest {
  name: string;
  image: string;
  env: Record<string, string>;
  labels: Record<string, string>;
  networkId: string;
  address: string;
  memoryLimitMb: number | null;
  cpuLimit: number | null;
}

/** A container as far as the runner cares. */
export interface ContainerFacts {
  id: string;
  name: string;
  labels: Record<string, string>;
  running: boolean;
  restarting: boolean;
  restarts: number;
  exitCode: number;
  outOfMemory: boolean;
  /** Of the main process on the host; 0 when it does not run. */
  pid: number;
  /** Its fixed address on the project's network; null when it is on none. */
  address: string | null;
}

/** Makes a container, not started. Returns its id. */
export async function createContainer(host: DockerHost, request: ContainerRequest): Promise<string> {
  const container = await call('create the container', () =>
    host.engine.createContainer(containerOptions(request)),
  );
  return container.id;
}

/** The one policy: no mounts, no privileges, no published ports, limits, rotated logs, up again after a restart of Docker. */
export function containerOptions(request: ContainerRequest): Docker.ContainerCreateOptions {
  const memory = request.memoryLimitMb === null ? 0 : request.memoryLimitMb * 1024 * 1024;
  return {
    name: request.name,
    Image: request.image,
    Env: Object.entries(request.env).map(([key, value]) => `${key}=${value}`),
    Labels: request.labels,
    HostConfig: {
      NetworkMode: request.networkId,
      Memory: memory,
      MemorySwap: memory, // as much as memory alone: no swap on top
      NanoCpus: request.cpuLimit === null ? 0 : Math.round(request.cpuLimit * 1e9),
      PidsLimit: pidsLimit,
      RestartPolicy: { Name: 'unless-stopped' },
      LogConfig: logRotation,
      CapDrop: ['ALL'],
      CapAdd: keptCapabilities,
      SecurityOpt: ['no-new-privileges'],
      Privileged: false,
    },
    NetworkingConfig: {
      EndpointsConfig: { [request.networkId]: { IPAMConfig: { IPv4Address: request.address } } },
    },
  };
}

export async function startContainer(host: DockerHost, id: string): Promise<void> {
  await call('start the container', () => host.engine.getContainer(id).start());
}

/** @throws DockerError with status 404 when there is none of this id or name */
export async function inspectContainer(
  host: DockerHost,
  id: string,
  signal?: AbortSignal,
): Promise<ContainerFacts> {
  const { Id, Name, Config, State, RestartCount, NetworkSettings } = await call(
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
    pid: State.Pid,
    address: endpoint?.IPAMConfig?.IPv4Address || endpoint?.IPAddress || null,
  };
}

/** This instance's containers with these labels, running or not. */
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
        if (isNotFound(error)) return undefined; // removed in between
        throw error;
      }),
    ),
  );
  return facts.filter((one) => one !== undefined);
}

/** A service's containers that serve or may serve. */
export const listServiceContainers = (host: DockerHost, serviceId: string) =>
  listContainers(host, { [labels.service]: serviceId, [labels.role]: 'app' });

/** SIGTERM, and SIGKILL after the grace. A container that is stopped or gone is fine. */
export async function stopContainer(
  host: DockerHost,
  id: string,
  graceSeconds = stopGraceSeconds,
): Promise<void> {
  await call('stop the container', () => host.engine.getContainer(id).stop({ t: graceSeconds }), {
    timeoutMs: stopTimeoutMs,
  }).catch((error) => {
    const alreadyStopped = error instanceof DockerError && error.status === 304;
    if (!alreadyStopped && !isNotFound(error)) throw error;
  });
}

/** Removes a container, killing it if it runs, with its anonymous volumes. One that is gone is fine. */
export async function removeContainer(host: DockerHost, idOrName: string): Promise<void> {
  await call('remove the container', () =>
    host.engine.getContainer(idOrName).remove({ force: true, v: true }),
  ).catch((error) => {
    // 409: another call is removing it right now.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  });
}

/** Gives a container another name; fine when it has it already. */
export async function renameContainer(
  host: DockerHost,
  container: ContainerFacts,
  name: string,
): Promise<void> {
  if (container.name === name) return;
  await call('rename the container', () => host.engine.getContainer(container.id).rename({ name }));
}
