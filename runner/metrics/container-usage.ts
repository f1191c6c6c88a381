/** Measures the containers of this instance. Docker is asked only after it has reported a change. */
import { join } from 'node:path';
import { labels } from '../../protocol/names.ts';
import type { DockerHost } from '../docker/client.ts';
import { type ContainerFacts, listContainers } from '../docker/containers.ts';
import type { Exit } from '../docker/events.ts';
import { findGroup, type GroupUsage, type ReadGroup } from './cgroup-usage.ts';
import { connectionsTo, networkBytes } from './process-network.ts';

/** A container and its current use. */
export interface MeasuredContainer {
  id: string;
  serviceId: string;
  projectId: string;
  /** Epoch milliseconds: counters restart with each start. */
  startedAt: number;
  usage: GroupUsage & { received?: number | undefined; sent?: number | undefined };
  /** Clients of a database; `undefined` for other services. */
  connections?: number | undefined;
  /** Unexpected ends since the last call. */
  exits: readonly Exit[];
}

/** The time without an event after which Docker is asked anyway. */
const refreshMs = 5 * 60_000;

interface Known {
  facts: ContainerFacts;
  read: ReadGroup | undefined;
}

export interface ContainerUsageParts {
  docker: DockerHost;
  exits: { of(containerId: string): readonly Exit[] };
  /** The directories of the kernel's files. */
  roots?: { cgroup: string; proc: string };
}

export class ContainerUsage {
  readonly #parts: ContainerUsageParts;
  readonly #roots: { cgroup: string; proc: string };
  #known: Known[] = [];
  #isStale = true;
  #listedAt = 0;
  /** Microseconds since the epoch: earlier ends were counted. */
  #exitsFrom: number;

  /** @param now epoch milliseconds: earlier ends of containers are not counted */
  constructor(parts: ContainerUsageParts, now: number) {
    this.#parts = parts;
    this.#roots = parts.roots ?? { cgroup: '/sys/fs/cgroup', proc: '/proc' };
    this.#exitsFrom = now * 1000;
  }

  /** A container has started, ended or changed its name. */
  changed(): void {
    this.#isStale = true;
  }

  /** @throws DockerError; the known containers are kept */
  async measure(now: number): Promise<MeasuredContainer[]> {
    if (this.#isStale || now - this.#listedAt >= refreshMs || now < this.#listedAt) {
      this.#isStale = false;
      this.#listedAt = now;
      await this.#list().catch((error: unknown) => {
        this.#isStale = true;
        throw error;
      });
    }
    const measured = this.#known.map(({ facts, read }) => this.#measureOne(facts, read));
    this.#exitsFrom = Math.max(
      this.#exitsFrom,
      ...measured.flatMap(({ exits }) => exits.map(({ at }) => at)),
    );
    return measured;
  }

  async #list(): Promise<void> {
    const found = await listContainers(this.#parts.docker, { [labels.role]: 'app' });
    const { cgroup, proc } = this.#roots;
    this.#known = found
      .filter(({ labels: own }) => own[labels.service])
      .map((facts) => ({ facts, read: facts.pid > 0 ? findGroup(facts.pid, cgroup, proc) : undefined }));
  }

  #measureOne(facts: ContainerFacts, read: ReadGroup | undefined): MeasuredContainer {
    const usage = read?.() ?? {};
    // The group contains the current process: an old id may belong to another program.
    const directory = usage.pid === undefined ? undefined : join(this.#roots.proc, String(usage.pid));
    const port = Number(facts.labels[labels.port] ?? 0);
    return {
      id: facts.id,
      serviceId: facts.labels[labels.service] ?? '',
      projectId: facts.labels[labels.project] ?? '',
      startedAt: facts.startedAt,
      usage: { ...usage, ...(directory && networkBytes(directory)) },
      connections: directory && port > 0 ? connectionsTo(directory, port) : undefined,
      exits: this.#parts.exits.of(facts.id).filter(({ at }) => at > this.#exitsFrom),
    };
  }
}
