/** Defines the policy for all containers. */
import type Docker from 'dockerode';
import type { ContainerSettings } from '../../protocol/container-settings.ts';
import type { SpecLimits } from '../../protocol/job-spec.ts';
import { withEveryLabel } from '../../protocol/names.ts';

/**
 * The capabilities that containers keep from Docker's defaults: the entrypoints of common images need them to change file owners and to
 * switch to their user. AUDIT_WRITE, MKNOD, NET_RAW, SETFCAP, SETPCAP and SYS_CHROOT are dropped.
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

/** The limit is enough for a busy server with threads, and stops a fork bomb. */
const pidsLimit = 4096;
/** Docker's `local` driver compresses and rotates logs; runtime logs are read from it. */
const logRotation = { Type: 'local', Config: { 'max-size': '10m', 'max-file': '3' } };
export interface ContainerRequest {
  name: string;
  image: string;
  env: Record<string, string>;
  labels: Record<string, string>;
  networkId: string;
  address: string;
  /** The name by which other containers on its network find the container from its start. Absent: no name. */
  alias?: string | undefined;
  /** The container's stop settings, in place of its image's signal and Docker's 10 s. Absent: no change. */
  stop?: { signal?: string | undefined; graceSeconds?: number | undefined } | undefined;
  /** Absent: a new name for each container. */
  hostname?: string;
  memoryLimitMb: number | null;
  cpuLimit: number | null;
  /** The tenant's limits; absent: only the platform's limits apply. */
  limits?: Pick<SpecLimits, 'pids' | 'openFiles'> | undefined;
  /** Settings that override those of the image; absent: none. */
  settings?: ContainerSettings | undefined;
  /** A command line for the image's shell, run once instead of the image's command. */
  once?: string;
  /** Volumes of a service that is no database, by their names in Docker. */
  volumes?: readonly { name: string; path: string }[];
  /** Docker's init process is process 1; absent: the program itself is. */
  init?: boolean;
  /** Files, by absolute path, that no program in the container can change; they are written before it starts. */
  readOnlyFiles?: readonly string[];
  /** Only for databases. */
  database?: DatabaseContainer;
}

/** The additions for a database's container: its data, and a port that Docker publishes. */
export interface DatabaseContainer {
  /** Arguments for the image's entrypoint; `undefined` for the image's own. */
  command: string[] | undefined;
  /** Size of `/dev/shm` in units of 2^20 bytes; `undefined` for Docker's default. */
  shmSizeMb: number | undefined;
  volume: { name: string; path: string };
  published: { address: string; hostPort: number; port: number };
}

/**
 * No container has privileges, mounts of the host, or published ports (except databases). Each has limits and rotated logs, and restarts
 * with Docker.
 */
export function containerOptions(request: ContainerRequest): Docker.ContainerCreateOptions {
  const memory = request.memoryLimitMb === null ? 0 : request.memoryLimitMb * 1024 * 1024;
  const { database } = request;
  return {
    ...(database?.command ? { Cmd: database.command } : {}),
    ...(request.stop?.signal ? { StopSignal: request.stop.signal } : {}),
    ...(request.stop?.graceSeconds === undefined ? {} : { StopTimeout: request.stop.graceSeconds }),
    ...(database ? { ExposedPorts: { [tcp(database.published.port)]: {} } } : {}),
    name: request.name,
    Image: request.image,
    ...(request.hostname === undefined ? {} : { Hostname: request.hostname }),
    ...ofService(request.settings ?? {}),
    // Runs inside the container, with its limits and its user: no shell runs on the host.
    ...(request.once === undefined ? {} : { Entrypoint: ['/bin/sh'], Cmd: ['-c', request.once] }),
    Env: Object.entries(request.env).map(([key, value]) => `${key}=${value}`),
    Labels: withEveryLabel(request.labels),
    HostConfig: {
      NetworkMode: request.networkId,
      Memory: memory,
      MemorySwap: memory, // the same as memory: no extra swap
      NanoCpus: request.cpuLimit === null ? 0 : Math.round(request.cpuLimit * 1e9),
      PidsLimit: request.limits?.pids ?? pidsLimit,
      ...openFiles(request.limits?.openFiles ?? null),
      RestartPolicy: { Name: request.once === undefined ? 'unless-stopped' : 'no' },
      LogConfig: logRotation,
      CapDrop: ['ALL'],
      CapAdd: keptCapabilities,
      SecurityOpt: ['no-new-privileges'],
      Privileged: false,
      Init: request.init ?? false,
      ...shmSize(request.settings?.shmSizeMb),
      ...(request.volumes?.length ? { Mounts: request.volumes.map(mountOf) } : {}),
      ...readonlyPaths(request.readOnlyFiles ?? []),
      ...(database ? dataAndPort(database) : {}),
    },
    NetworkingConfig: {
      EndpointsConfig: {
        [request.networkId]: {
          IPAMConfig: { IPv4Address: request.address },
          ...(request.alias === undefined ? {} : { Aliases: [request.alias] }),
        },
      },
    },
  };
}

function dataAndPort({ volume, shmSizeMb, published: { address, hostPort, port } }: DatabaseContainer) {
  return {
    ...shmSize(shmSizeMb),
    Mounts: [mountOf(volume)],
    PortBindings: { [tcp(port)]: [{ HostIp: address, HostPort: String(hostPort) }] },
  };
}

const mountOf = ({ name, path }: { name: string; path: string }) => ({
  Type: 'volume' as const,
  Source: name,
  Target: path,
});

/** Directories of the kernel that Docker makes read-only; our own list replaces Docker's. */
const dockersReadonlyPaths = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

/** runc mounts each path over itself, read-only, whenever the container starts: not even the container's root can change or remove the file. */
const readonlyPaths = (files: readonly string[]) =>
  files.length === 0 ? {} : { ReadonlyPaths: [...dockersReadonlyPaths, ...files] };

const ofService = ({ command, entrypoint, user }: ContainerSettings) => ({
  ...(command ? { Cmd: command } : {}),
  ...(entrypoint ? { Entrypoint: entrypoint } : {}),
  ...(user ? { User: user } : {}),
});

const shmSize = (sizeMb: number | undefined) =>
  sizeMb === undefined ? {} : { ShmSize: sizeMb * 1024 * 1024 };

const openFiles = (limit: number | null) =>
  limit === null ? {} : { Ulimits: [{ Name: 'nofile', Soft: limit, Hard: limit }] };

const tcp = (port: number) => `${port}/tcp`;
