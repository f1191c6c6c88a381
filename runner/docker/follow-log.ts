/** Reads a container's output with Docker's time for each line. */
import { labels, stableContainerName } from '../../protocol/names.ts';
import { call, type DockerHost } from './client.ts';
import {
  environmentIn,
  environmentOf,
  hasLiveName,
  inspectContainer,
  listServiceContainers,
  replicaOf,
} from './containers.ts';
import { isNotFound } from './docker-error.ts';
import { type Exit, type ExitHistory, exitSentence } from './events.ts';
import { type LoggedLine, LogParser } from './logs/log-parser.ts';
import { secretsIn } from './secret-keys.ts';

export interface LiveContainer {
  id: string;
  deploymentId: string;
  /** Values to mask in its output. */
  secrets: string[];
}

/** A container of a service whose log is read. */
export interface LoggedContainer extends LiveContainer {
  /** False for a container that starts or ends next to the live one. */
  isLive: boolean;
  /** The replica's number, from 1; absent if the service has only one. */
  replica?: number | undefined;
  /** The reason why the platform stopped the container; absent if it did not. */
  stopReason?: string | undefined;
  /** The container's unexpected ends with their reasons, the oldest first; times in microseconds since the epoch. */
  exits?: readonly { at: number; sentence: string }[];
}

export interface LogRange {
  /** Microseconds since the epoch: only lines from then on. */
  since: number;
  /** Only this many of the newest lines. */
  tail?: number;
  /** Continue with new lines until the container stops. */
  follow: boolean;
}

/** @returns undefined when the service has no container on this host. @throws DockerError */
export async function liveContainer(host: DockerHost, serviceId: string): Promise<LiveContainer | undefined> {
  try {
    const { Id, Config } = await call('inspect the container', (abortSignal) =>
      host.engine.getContainer(stableContainerName(serviceId)).inspect({ abortSignal }),
    );
    if (Config.Labels[labels.instance] !== host.instance) return undefined;
    const secrets = secretsIn(environmentIn(Config.Env), Config.Labels);
    return { id: Id, deploymentId: Config.Labels[labels.deployment] ?? '', secrets };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * All containers of the service on this host whose output belongs to its log.
 * @param known.stopReason returns the reason why the platform stopped a container with this id
 * @param known.exits the unexpected ends of all containers
 * @throws DockerError
 */
export async function loggedContainers(
  host: DockerHost,
  serviceId: string,
  {
    stopReason = () => undefined,
    exits = { of: () => [] },
  }: { stopReason?: (id: string) => string | undefined; exits?: Pick<ExitHistory, 'of'> } = {},
): Promise<LoggedContainer[]> {
  const containers = await listServiceContainers(host, serviceId);
  const logged = await Promise.all(
    containers.map(async ({ id, name, labels: given }) => {
      const env = await environmentOf(host, id).catch((error: unknown) => {
        if (isNotFound(error)) return undefined; // removed in the meantime
        throw error;
      });
      const isLive = hasLiveName({ name, labels: given });
      const deploymentId = given[labels.deployment] ?? '';
      if (!env) return undefined;
      const ended = await exitsOf(host, id, exits.of(id));
      const secrets = secretsIn(env, given);
      const replica = given[labels.replica] ? replicaOf(given) + 1 : undefined;
      return { id, deploymentId, replica, secrets, isLive, stopReason: stopReason(id), exits: ended };
    }),
  );
  return logged.filter((one) => one !== undefined);
}

async function exitsOf(host: DockerHost, id: string, exits: readonly Exit[]) {
  if (exits.length === 0) return [];
  const { memoryLimitMb } = await inspectContainer(host, id);
  return exits.map((exit) => ({
    at: exit.at,
    sentence: `${exitSentence(exit, memoryLimitMb)} Docker restarts it.`,
  }));
}

/**
 * Lines in the order in which Docker wrote them, as they arrive. Ends when the container stops or the signal is aborted.
 * @throws DockerError
 */
export async function* readLog(
  host: DockerHost,
  id: string,
  { since, tail, follow }: LogRange,
  signal: AbortSignal,
): AsyncGenerator<LoggedLine[], void, undefined> {
  const options = {
    stdout: true,
    stderr: true,
    timestamps: true,
    since: since / 1e6,
    ...(tail === undefined ? {} : { tail }),
    abortSignal: signal,
  };
  const container = host.engine.getContainer(id);
  const lines = new LogParser();
  if (!follow) {
    const read = await call('read the container log', () => container.logs({ ...options, follow: false }));
    const whole = lines.push(read);
    lines.drop();
    yield whole;
    return;
  }
  const log = await call('follow the container log', () => container.logs({ ...options, follow: true }));
  try {
    for await (const chunk of log as AsyncIterable<Buffer>) yield lines.push(chunk);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    lines.drop();
  }
}
