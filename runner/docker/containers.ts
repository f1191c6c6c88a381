/** Containers: created with one policy, found by label, renamed and connected. */
import type Docker from 'dockerode';
import { z } from 'zod';
import { labels, withEveryLabel } from '../../protocol/names.ts';
import { call, type DockerHost, ownedBy } from './client.ts';
import { DockerError, isConflict, isNotFound } from './docker-error.ts';

/**
 * The kept part of Docker's default capabilities: those that the entrypoints of common images need to change file owners and to switch to
 * their user. Dropped: AUDIT_WRITE, MKNOD, NET_RAW, SETFCAP, SETPCAP, SYS_CHROOT.
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

/** Enough for a busy server with threads, and it stops a fork bomb. */
const pidsLimit = 4096;
/** Docker's `local` driver compresses and rotates logs; runtime logs are read from it. */
const logRotation = { Type: 'local', Config: { 'max-size': '10m', 'max-file': '3' } };
/** Time between SIGTERM and SIGKILL. */
const stopGraceSeconds = 10;
/** Additional time for the kill after the grace period. */
const killMs = 20_000;

export interface ContainerRequest {
  name: string;
  image: string;
  env: Record<string, string>;
  labels: Record<string, string>;
  networkId: string;
  address: string;
  memoryLimitMb: number | null;
  cpuLimit: number | null;
  /** A command line for the image's shell, run once instead of the image's command. */
  once?: string;
  /** Only for databases. */
  database?: DatabaseContainer;
}

/** What a database's container has in addition to the policy: its data, and a port that Docker publishes. */
export interface DatabaseContainer {
  /** Arguments for the image's entrypoint; undefined: the image's own. */
  command: string[] | undefined;
  /** The signal for a clean stop of the engine; undefined: the image's own. */
  stopSignal: string | undefined;
  volume: { name: string; path: string };
  published: { address: string; hostPort: number; port: number };
  alias: string;
}

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
  /** Epoch milliseconds of its last start; 0 when it has never run. */
  startedAt: number;
  /** null: no limit. */
  memoryLimitMb: number | null;
  /** The job that made it gave it a volume: it is a database, whatever its image and its labels say. */
  hasDataVolume: boolean;
  /** Docker's status of the image's HEALTHCHECK; null when it has none. */
  health: 'starting' | 'healthy' | 'unhealthy' | null;
  /** Process id of the main process on the host; 0 when it does not run. */
  pid: number;
  /** Its fixed address on the project's network; null when it is on no network. */
  address: string | null;
}

/** `none`, or absent, where the image has no HEALTHCHECK. */
const healthSchema = z.enum(['starting', 'healthy', 'unhealthy']);

/** Creates a container without starting it. @returns its id */
export async function createContainer(host: DockerHost, request: ContainerRequest): Promise<string> {
  const container = await call('create the container', () =>
    host.engine.createContainer(containerOptions(request)),
  );
  return container.id;
}

/** The only policy: no mounts and no published ports (except for databases), no privileges, limits, rotated logs, restarted with Docker. */
export function containerOptions(request: ContainerRequest): Docker.ContainerCreateOptions {
  const memory = request.memoryLimitMb === null ? 0 : request.memoryLimitMb * 1024 * 1024;
  const { database } = request;
  return {
    ...(database?.command ? { Cmd: database.command } : {}),
    ...(database?.stopSignal ? { StopSignal: database.stopSignal } : {}),
    ...(database ? { ExposedPorts: { [tcp(database.published.port)]: {} } } : {}),
    name: request.name,
    Image: request.image,
    // Runs inside the container, with its limits and its user: no shell runs on the host.
    ...(request.once === undefined ? {} : { Entrypoint: ['/bin/sh'], Cmd: ['-c', request.once] }),
    Env: Object.entries(request.env).map(([key, value]) => `${key}=${value}`),
    Labels: withEveryLabel(request.labels),
    HostConfig: {
      NetworkMode: request.networkId,
      Memory: memory,
      MemorySwap: memory, // the same as memory: no extra swap
      NanoCpus: request.cpuLimit === null ? 0 : Math.round(request.cpuLimit * 1e9),
      PidsLimit: pidsLimit,
      RestartPolicy: { Name: request.once === undefined ? 'unless-stopped' : 'no' },
      LogConfig: logRotation,
      CapDrop: ['ALL'],
      CapAdd: keptCapabilities,
      SecurityOpt: ['no-new-privileges'],
      Privileged: false,
      ...(database ? dataAndPort(database) : {}),
    },
    NetworkingConfig: {
      EndpointsConfig: {
        [request.networkId]: {
          IPAMConfig: { IPv4Address: request.address },
          ...(database ? { Aliases: [database.alias] } : {}),
        },
      },
    },
  };
}

function dataAndPort({ volume, published: { address, hostPort, port } }: DatabaseContainer) {
  return {
    Mounts: [{ Type: 'volume' as const, Source: volume.name, Target: volume.path }],
    PortBindings: { [tcp(port)]: [{ HostIp: address, HostPort: String(hostPort) }] },
  };
}

const tcp = (port: number) => `${port}/tcp`;

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

/** @param entries `KEY=value`, as Docker has them */
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
  const { Id, Name, Config, HostConfig, State, RestartCount, NetworkSettings } = await call(
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
    startedAt: Math.max(0, Date.parse(State.StartedAt)),
    memoryLimitMb: HostConfig.Memory ? HostConfig.Memory / 2 ** 20 : null,
    hasDataVolume: (HostConfig.Mounts ?? []).some(({ Type }) => Type === 'volume'),
    health: healthSchema.safeParse(State.Health?.Status).data ?? null,
    pid: State.Pid,
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

/** Sends SIGTERM, and SIGKILL after the grace period. Does nothing if the container is stopped or gone. */
export async function stopContainer(
  host: DockerHost,
  id: string,
  graceSeconds = stopGraceSeconds,
): Promise<void> {
  await call('stop the container', () => host.engine.getContainer(id).stop({ t: graceSeconds }), {
    timeoutMs: graceSeconds * 1000 + killMs,
  }).catch((error) => {
    const alreadyStopped = error instanceof DockerError && error.status === 304;
    if (!alreadyStopped && !isNotFound(error)) throw error;
  });
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
