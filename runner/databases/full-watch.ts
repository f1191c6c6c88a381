/**
 * Notices databases that accept no more connections, while they are full, and keeps the connections that some engines need. A database is
 * tested only while it has so many clients that it may be full: the kernel counts them without cost, and no engine has a lower limit.
 */
import { type Clock, pause } from '../base/clock.ts';
import type { DockerHost } from '../docker/client.ts';
import { environmentOf } from '../docker/containers.ts';
import { ConnectionsFull, withUsage } from '../engines/connections-full.ts';
import type { Engine } from '../engines/engine.ts';
import type { KeptWays } from './kept-ways.ts';
import { liveDatabase } from './live-database.ts';

export interface FullWatch {
  /** The message for a database's service; `undefined` if it is not full. */
  sentenceOf(serviceId: string): string | undefined;
  stop(): void;
}

/** A database's container with its number of clients; others have no number. */
interface CountedContainer {
  id: string;
  serviceId: string;
  connections?: number | undefined;
}

export interface FullWatchParts {
  docker: DockerHost;
  clock: Clock;
  latest: () => { containers: readonly CountedContainer[] } | undefined;
  /** Absent if no connections are kept. */
  ways?: KeptWays;
  /** Called when a message begins, changes or ends. */
  changed: () => void;
}

/** The interval of the observations of services. */
const everyMs = 15_000;
/** The smallest limit that a database may be given. */
const clientsMin = 10;

export function watchFull(parts: FullWatchParts): FullWatch {
  const stopping = new AbortController();
  const rounds = new Rounds(parts);
  void rounds.run(stopping.signal);
  return {
    sentenceOf: (serviceId) => rounds.sentences.get(serviceId),
    stop() {
      stopping.abort();
      parts.ways?.keepOnly(new Set());
    },
  };
}

class Rounds {
  sentences: ReadonlyMap<string, string> = new Map();
  /** Containers whose engine needs no kept connection. */
  #withoutWay = new Set<string>();
  readonly #parts: FullWatchParts;

  constructor(parts: FullWatchParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(this.#parts.clock, everyMs, signal);
      if (!signal.aborted) await this.#round();
    }
  }

  async #round(): Promise<void> {
    const { latest, ways } = this.#parts;
    const databases = (latest()?.containers ?? []).filter(({ connections }) => connections !== undefined);
    if (ways) {
      const ids = new Set(databases.map(({ id }) => id));
      ways.keepOnly(ids);
      this.#withoutWay = new Set([...this.#withoutWay].filter((id) => ids.has(id)));
      await Promise.all(databases.map((container) => this.#keepWay(ways, container)));
    }
    const busy = databases.filter(({ connections = 0 }) => connections >= clientsMin);
    const found = await Promise.all(
      busy.map(async ({ serviceId }) => [serviceId, await this.#look(serviceId)] as const),
    );
    const before = this.sentences;
    this.sentences = new Map(
      found.flatMap(([id, text]) => (text === undefined ? [] : [[id, text] as const])),
    );
    const isSame = [...this.sentences.keys()].join() === [...before.keys()].join();
    if (!isSame) this.#parts.changed();
  }

  /** Never rejects: a failure is retried in the next round. */
  async #keepWay(ways: KeptWays, { id, serviceId }: CountedContainer): Promise<void> {
    const { docker } = this.#parts;
    if (this.#withoutWay.has(id) || (await ways.isOpen(id))) return;
    try {
      const { containerId, address } = await liveDatabase(docker, serviceId);
      if (containerId !== id) return;
      const engine = portsWithWay.has(address.port) ? await engineOfPort(address.port) : undefined;
      if (engine?.openWayIn)
        ways.keep(id, address, await engine.openWayIn(address, await environmentOf(docker, id)));
      else this.#withoutWay.add(id);
    } catch {
      // The next round tries again.
    }
  }

  /** @returns `undefined` also if the database does not answer at all, which is another trouble. Never rejects. */
  async #look(serviceId: string): Promise<string | undefined> {
    const { docker } = this.#parts;
    try {
      const { containerId, address } = await liveDatabase(docker, serviceId);
      const engine = await engineOfPort(address.port);
      if (!engine) return undefined;
      const env = await environmentOf(docker, containerId);
      const error = await engine.ping(address, env).then(
        () => undefined,
        (failed: unknown) => withUsage(failed, engine, address, env),
      );
      return error instanceof ConnectionsFull ? error.message : undefined;
    } catch {
      return undefined;
    }
  }
}

/**
 * The engine by port, because a container's labels have no engine. Engines with PostgreSQL's protocol are tested alike. Loaded one by one,
 * and only on a host with such a database: the drivers of all engines take more memory than the rest of the runner.
 */
const engineAt: Readonly<Record<number, () => Promise<Engine>>> = {
  3306: async () => (await import('../engines/mysql.ts')).mysql,
  5432: async () => (await import('../engines/postgres.ts')).postgres,
  6379: async () => (await import('../engines/redis.ts')).redis,
  8123: async () => (await import('../engines/clickhouse.ts')).clickhouse,
  27017: async () => (await import('../engines/mongodb.ts')).mongodb,
};

/** @param port inside of the container @returns `undefined` for a port without an engine */
export const engineOfPort = async (port: number): Promise<Engine | undefined> => await engineAt[port]?.();

/** Ports of the engines that need a kept connection: only their modules are loaded for it. */
export const portsWithWay: ReadonlySet<number> = new Set([6379]);
