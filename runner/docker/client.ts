/** The connection to the Docker daemon; every call to it has a time limit. */
import { Stream } from 'node:stream';
import { labels } from '../../protocol/names.ts';
import { daemonTimeout, dockerError } from './docker-error.ts';
import { Docker } from './dockerode.ts';

/** The daemon and the runner that uses it. Everything that the runner creates has `instance` as a label, and the runner changes nothing else. */
export interface DockerHost extends DockerHooks {
  readonly engine: Docker;
  /** The runner's id. */
  readonly instance: string;
}

/** Callbacks before a new network or container is reachable. */
export interface DockerHooks {
  /** Called after a network was created and before a container joins it; never rejects. */
  readonly networkCreated?: () => Promise<void>;
  /** Called after a container was created with its own address and before it starts; never rejects. */
  readonly containerCreated?: () => Promise<void>;
  /** Absent if no volumes are recorded. */
  readonly volumes?: VolumeRecord;
}

/** The volumes that this host should have (`storage/known-volumes.ts`). */
export interface VolumeRecord {
  /** True if this volume existed here, and Longshore has not removed it. */
  has(name: string): boolean;
  /** Volumes that exist, with their services. */
  add(volumes: ReadonlyMap<string, string>): void;
  /** Call before a volume is removed: if the removal fails, the volume is found again. */
  remove(name: string): void;
  /** Call when all data of a service is removed. */
  removeOf(serviceId: string): void;
}

/** The time limit for reads and small changes: the daemon answers in milliseconds unless it hangs. */
export const callTimeoutMs = 30_000;

/**
 * Prepares the connection to the daemon; makes no call yet.
 * @param options.socketPath by default `DOCKER_HOST` or /var/run/docker.sock
 */
export function connectDocker(
  instance: string,
  { socketPath, ...hooks }: DockerHooks & { socketPath?: string } = {},
): DockerHost {
  return { engine: new Docker(socketPath === undefined ? {} : { socketPath }), instance, ...hooks };
}

/**
 * Runs one call to the daemon with a time limit.
 * @param what the step as a verb phrase, for the error message: "create the container"
 * @param options.signal only for reads, pulls and builds. A change must be awaited: if it is abandoned, it may still happen after its undo.
 * @throws DockerError; or the signal's own reason when it was aborted
 */
export async function call<T>(
  what: string,
  run: (abortSignal: AbortSignal) => Promise<T>,
  options: { signal?: AbortSignal | undefined; timeoutMs?: number } = {},
): Promise<T> {
  const { signal, timeoutMs = callTimeoutMs } = options;
  signal?.throwIfAborted();
  const deadline = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
  try {
    return await Promise.race([run(either).then((given) => listenedTo(given, either)), rejectedBy(either)]);
  } catch (error) {
    signal?.throwIfAborted();
    if (deadline.aborted) throw daemonTimeout(what, timeoutMs);
    throw dockerError(what, error);
  }
}

/**
 * Listens to a stream's errors. They reach its reader, but before and after that there is no listener, and a daemon that ends then would
 * end the runner. A stream that arrives after the deadline has no reader.
 */
function listenedTo<T>(given: T, { aborted }: AbortSignal): T {
  if (given instanceof Stream) {
    given.on('error', () => {});
    if (aborted && 'destroy' in given) (given as unknown as { destroy(): void }).destroy();
  }
  return given;
}

/** Some of dockerode's calls accept no signal; this ends the wait anyway. */
function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Labels of everything that belongs to one deployment. */
export function deploymentLabels(
  host: DockerHost,
  owner: { projectId: string; serviceId: string; deploymentId: string; epoch: number },
  role: 'app' | 'build',
): Record<string, string> {
  return {
    [labels.instance]: host.instance,
    [labels.project]: owner.projectId,
    [labels.service]: owner.serviceId,
    [labels.deployment]: owner.deploymentId,
    [labels.epoch]: String(owner.epoch),
    [labels.role]: role,
  };
}

/** The label that lets the disk watch find a container; none without a limit. */
export const diskLimitLabel = (limits: { diskMb: number | null } | undefined): Record<string, string> =>
  limits?.diskMb ? { [labels.diskLimit]: String(limits.diskMb) } : {};

/** A list filter: this instance's objects with the given labels. */
export function ownedBy(host: DockerHost, more: Record<string, string> = {}): { label: string[] } {
  return {
    label: [
      `${labels.instance}=${host.instance}`,
      ...Object.entries(more).map(([key, value]) => `${key}=${value}`),
    ],
  };
}

/** Version of the daemon; `null` if it does not answer. */
export async function dockerVersion(host: DockerHost): Promise<string | null> {
  try {
    const { Version } = await call('read its version', () => host.engine.version());
    return Version;
  } catch {
    return null;
  }
}
