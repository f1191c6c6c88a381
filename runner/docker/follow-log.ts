/** Reads a container's output with the time at which Docker received each line. */
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
import { longLines } from './logs/long-lines.ts';
import { RepeatedLines } from './logs/repeated-lines.ts';
import { secretsIn } from './secret-keys.ts';

export interface LoggedLine {
  /** Microseconds since the epoch. */
  at: number;
  stream: 'stdout' | 'stderr';
  text: string;
  /** The line was longer; the rest was dropped. */
  cut: boolean;
}

/** The container that is live now. */
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
  /** Its number, from 1; absent: the service has only one. */
  replica?: number | undefined;
  /** Why the platform stopped it; absent if it did not. */
  stopReason?: string | undefined;
  /** Its unexpected ends and how they happened, the oldest first; times in microseconds since the epoch. */
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

/** Each frame of a log without a terminal: stream number, three zero bytes, length, then the bytes (Engine API, attach). */
const frameHeaderBytes = 8;
/** `2026-11-21T09:45:12.123456789Z `: Docker puts it before the bytes of every frame. */
const timestampChars = 31;
/**
 * Docker splits lines at this many bytes (moby, daemon/logger/copier.go). All parts but the last have exactly this size; the `local`
 * driver of 20.10 also omits the line feed of the last one.
 */
const partBytes = 16 * 1024;
/** The rest of a longer line is dropped: a level or a field may be anywhere in a line of JSON. */
const lineBytesMax = 1024 * 1024;

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
 * @param known.stopReason why the platform stopped a container with this id
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

interface OpenLine {
  at: number;
  /** Of the microsecond. */
  nanoseconds: number;
  parts: Buffer[];
  /** Of the line so far, and of the parts of it that are in memory. */
  bytes: number;
  keptBytes: number;
}

/** The connection may cut frames anywhere, and Docker may split lines. */
class LogParser {
  #rest: Buffer = Buffer.alloc(0);
  readonly #open: Record<LoggedLine['stream'], OpenLine | undefined> = {
    stdout: undefined,
    stderr: undefined,
  };
  readonly #repeated = { stdout: new RepeatedLines(), stderr: new RepeatedLines() };

  push(chunk: Buffer): LoggedLine[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const lines: LoggedLine[] = [];
    let from = 0;
    while (from + frameHeaderBytes <= bytes.length) {
      const end = from + frameHeaderBytes + bytes.readUInt32BE(from + 4);
      if (end > bytes.length) break;
      const line = this.#take(
        bytes[from] === 2 ? 'stderr' : 'stdout',
        bytes.subarray(from + frameHeaderBytes, end),
      );
      if (line) lines.push(line);
      from = end;
    }
    this.#rest = Buffer.from(bytes.subarray(from));
    return lines;
  }

  #take(stream: LoggedLine['stream'], frame: Buffer): LoggedLine | undefined {
    const hasLineFeed = frame.at(-1) === 0x0a;
    const text = frame.subarray(timestampChars, hasLineFeed ? -1 : undefined);
    const isEnd = hasLineFeed || text.length < partBytes;
    const open = this.#open[stream] ?? { ...timeOf(frame), parts: [], bytes: 0, keptBytes: 0 };
    const wanted = Math.min(text.length, lineBytesMax - open.keptBytes);
    // What follows a part that was left out would be read as its continuation.
    const kept = open.keptBytes < open.bytes ? 0 : longLines.take(open.keptBytes, wanted);
    open.parts.push(Buffer.from(text.subarray(0, kept)));
    open.keptBytes += kept;
    open.bytes += text.length;
    this.#open[stream] = isEnd ? undefined : open;
    if (!isEnd) return undefined;
    const { at, nanoseconds, bytes, keptBytes } = open;
    longLines.release(keptBytes);
    const whole = Buffer.concat(open.parts).toString('utf8');
    if (this.#repeated[stream].isRepeated(at, nanoseconds, whole)) return undefined;
    return { at, stream, text: whole, cut: bytes > keptBytes };
  }

  /** The log is not read on: lines without an end are given up. */
  drop(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      longLines.release(this.#open[stream]?.keptBytes ?? 0);
      this.#open[stream] = undefined;
    }
  }
}

/** RFC 3339 with nanoseconds. */
function timeOf(frame: Buffer): Pick<OpenLine, 'at' | 'nanoseconds'> {
  const milliseconds = Date.parse(`${frame.toString('latin1', 0, 23)}Z`);
  const at = milliseconds * 1000 + Number(frame.toString('latin1', 23, 26));
  return { at, nanoseconds: Number(frame.toString('latin1', 26, 29)) };
}
