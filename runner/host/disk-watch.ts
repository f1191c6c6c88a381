/**
 * Stops containers that write more than their disk limit, or more into a volume than its size. Containers without limit and volumes cost
 * nothing. Free space is read every few seconds. Containers are measured one after the other, soon after large writes and otherwise once in
 * a while.
 */
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import type { DockerHost } from '../docker/client.ts';
import { stopContainer } from '../docker/containers.ts';
import {
  measureBytes,
  megabytes,
  type WatchedContainer,
  type WatchedVolume,
  type WrittenPlaces,
  watchedContainers,
  writtenPlaces,
} from '../docker/disk-use.ts';

/** Reading the free space is one system call. */
const pollIntervalMs = 2_000;
/** The decrease of free space since the last round that starts the next one. */
const writtenBytes = 256 * 2 ** 20;
/** The interval of rounds without a reason, which find slow writers. */
const roundMs = 5 * 60_000;
/** Pause after a round, in multiples of its duration, so that measuring takes at most a tenth of one processor. */
const pauseFactor = 9;
/** The time limit for a container and its volumes: all other containers wait until then. */
const containerMs = 120_000;
/** Reported sizes change in steps, so that they are not reported all the time. */
const reportedStepMb = 64;

export interface DiskWatch {
  /** The reason why this container was stopped; `undefined` if it was not. */
  stopReason(containerId: string): string | undefined;
  /** The size of each volume of a service that is no database, in units of 2^20 bytes, rounded up; empty before the first measurement. */
  volumesOf(containerId: string): VolumeUse[];
  /** The size of a container and its volumes, in units of 2^20 bytes, rounded up; `undefined` before the first measurement. */
  usedMb(containerId: string): number | undefined;
  /** The same in bytes, also of databases without a limit. */
  usedBytes(containerId: string): number | undefined;
  stop(): void;
}

export interface DiskWatchParts {
  docker: DockerHost;
  clock: Clock;
  logger: Pick<Logger, 'info' | 'warn'>;
  /** Free bytes on the disk of the containers; `undefined` if they can't be read. */
  freeBytes: () => Promise<number | undefined>;
  measure?: typeof measureBytes;
  /** Volumes that hold old and new files while a restore exchanges them: they may be larger than their size. */
  exchangedVolumes?: ReadonlySet<string>;
}

interface VolumeUse {
  id: string;
  usedMb: number;
}

interface Measured {
  places: WrittenPlaces;
  volumes?: VolumeUse[];
  usedMb?: number;
  usedBytes?: number;
}

export function startDiskWatch(parts: DiskWatchParts): DiskWatch {
  const stopping = new AbortController();
  const watch = new Rounds(parts, stopping.signal);
  void watch.run();
  return {
    stopReason: (id) => watch.stopped.get(id),
    volumesOf: (id) => watch.measured.get(id)?.volumes ?? [],
    usedMb: (id) => watch.measured.get(id)?.usedMb,
    usedBytes: (id) => watch.measured.get(id)?.usedBytes,
    stop: () => stopping.abort(),
  };
}

class Rounds {
  /** Reasons by container id. */
  readonly stopped = new Map<string, string>();
  readonly measured = new Map<string, Measured>();
  readonly #parts: DiskWatchParts;
  readonly #signal: AbortSignal;
  #failure = '';

  constructor(parts: DiskWatchParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { clock, freeBytes } = this.#parts;
    let free = await freeBytes();
    let nextRoundAt = 0;
    let mayStartAt = 0;
    while (!this.#signal.aborted) {
      const now = await freeBytes();
      const isUrgent = free !== undefined && now !== undefined && free - now >= writtenBytes;
      if (clock.elapsed() >= (isUrgent ? mayStartAt : nextRoundAt)) {
        const began = clock.elapsed();
        await this.#round();
        free = await freeBytes();
        const took = clock.elapsed() - began;
        mayStartAt = clock.elapsed() + took * pauseFactor;
        nextRoundAt = clock.elapsed() + Math.max(roundMs, took * pauseFactor);
      }
      if (free !== undefined && now !== undefined) free = Math.max(free, now);
      await pause(clock, pollIntervalMs, this.#signal);
    }
  }

  async #round(): Promise<void> {
    try {
      const containers = await watchedContainers(this.#parts.docker);
      this.#forget(new Set(containers.map(({ id }) => id)));
      for (const container of containers) {
        if (this.#signal.aborted) return;
        await this.#measure(container);
      }
      this.#failure = '';
    } catch (error) {
      const failure = messageOf(error);
      if (failure !== this.#failure) this.#parts.logger.warn(`disk limits can't be enforced: ${failure}`);
      this.#failure = failure;
    }
  }

  /** A stopped container that runs again gets a second chance. */
  #forget(running: ReadonlySet<string>): void {
    for (const id of this.measured.keys()) {
      if (!running.has(id) && !this.stopped.has(id)) this.measured.delete(id);
    }
    for (const id of this.stopped.keys()) if (running.has(id)) this.stopped.delete(id);
  }

  async #measure(container: WatchedContainer): Promise<void> {
    const { docker, clock, measure = measureBytes, exchangedVolumes } = this.#parts;
    const { id, limitMb } = container;
    const places = this.measured.get(id)?.places ?? (await writtenPlaces(docker, id).catch(() => undefined));
    if (!places) return; // removed in the meantime, or another storage driver
    this.measured.set(id, { ...this.measured.get(id), places });
    const until = clock.elapsed() + containerMs;
    const inTime = (directories: string[]) => measure(directories, Math.max(1, until - clock.elapsed()));
    const bytes = await inTime(places.writable);
    if (limitMb !== null && (bytes === 'too long' || bytes > limitMb * 2 ** 20)) {
      return this.#stop(container, tooMuch(limitMb, bytes));
    }
    let data = 0;
    const volumes: VolumeUse[] = [];
    for (const { volume, directory } of places.data) {
      if (exchangedVolumes?.has(volume)) return;
      const held = await inTime([directory]);
      const watched = container.volumes.find(({ source }) => source === volume);
      if (watched && isFull(watched, held)) return this.#stop(container, tooFull(watched, held));
      if (held === 'too long') return; // the last known size stays
      if (watched) volumes.push({ id: watched.id, usedMb: megabytes(held) });
      data += held;
    }
    if (bytes === 'too long')
      return void this.measured.set(id, { ...this.measured.get(id), places, volumes });
    // Only limited data counts for the tenant, and is reported.
    const usedMb = isReported(container) ? { usedMb: stepped(bytes + data) } : {};
    this.measured.set(id, { places, volumes, usedBytes: bytes + data, ...usedMb });
  }

  async #stop({ id, name }: WatchedContainer, { fact, wayOut }: Excess): Promise<void> {
    const { docker, logger } = this.#parts;
    this.stopped.set(id, `The container was stopped because it wrote more than ${fact} ${wayOut}`);
    logger.warn(`${name} was stopped: it wrote more than ${fact}`);
    await stopContainer(docker, id);
  }
}

interface Excess {
  fact: string;
  wayOut: string;
}

type Held = number | 'too long';

const tooMuch = (limitMb: number, held: Held): Excess => ({
  fact: `its disk limit of ${limitMb} MB. ${content(held)}`,
  wayOut:
    'Write less outside a database or volume, then deploy again, which starts with an empty disk; or ask the operator to raise "containerDiskMb".',
});

const isReported = ({ limitMb, volumes }: WatchedContainer) => limitMb !== null || volumes.length > 0;

const isFull = ({ sizeMb }: WatchedVolume, held: Held) =>
  sizeMb !== null && (held === 'too long' || held > sizeMb * 2 ** 20);

const tooFull = ({ name, sizeMb }: WatchedVolume, held: Held): Excess => ({
  fact: `the ${sizeMb} MB of its volume "${name}". ${content(held)}`,
  wayOut:
    'Its data is kept. Raise the volume\'s "sizeMb", then deploy again; if the size is that of the tenant\'s "containerDiskMb", ask the operator to raise it.',
});

const content = (held: Held) =>
  held === 'too long' ? 'It contains too many files to count.' : `It contains ${megabytes(held)} MB.`;

const stepped = (bytes: number) => Math.ceil(megabytes(bytes) / reportedStepMb) * reportedStepMb;
