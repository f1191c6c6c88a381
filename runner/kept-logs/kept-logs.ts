/**
 * The logs of services that this host keeps: `<data>/logs/<service>/`, in segments. Bounded for each service by bytes and age, and for all
 * together by bytes. The oldest segments are removed first, also when the disk becomes full: logs never take the space that apps need.
 */
import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { accessLogOf, isAccessLog } from '../../protocol/logs/kept-logs.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { listSegments, type Segment, segmentBytesMax } from './segment-files.ts';
import { type ContainerLine, ServiceLog } from './service-log.ts';

export interface KeptLogLimits {
  /** The limit of one service on disk. */
  serviceBytes: number;
  /** The limit of all services on disk; `null` for 5 % of the file system, at most 10 GB. */
  totalBytes: number | null;
  ageMs: number;
}

export interface KeptLogsParts {
  directory: string;
  limits: KeptLogLimits;
  clock: Clock;
  logger: Logger;
  /** Space of the file system that contains a directory. @throws Error if it can't be determined */
  readSpace?: (directory: string) => { freeBytes: number; totalBytes: number };
}

/** The additional share of a service's limit for its log of requests. */
export const accessShare = 0.25;
/** The free space on the disk below which no logs are kept. */
const freeBytesMin = 512 * 2 ** 20;
const freeShareMin = 0.05;
const roomCheckMs = 5_000;
const totalShare = 0.05;
const totalBytesMax = 10 * 10 ** 9;

/** The disk has no room for logs. Docker keeps the newest lines; reading continues when there is room. */
class NoRoomForLogs extends Error {}

export class KeptLogs {
  readonly #parts: KeptLogsParts;
  readonly #logs = new Map<string, ServiceLog>();
  #roomCheckedAt = Number.NEGATIVE_INFINITY;
  #tidying: Promise<void> = Promise.resolve();

  constructor(parts: KeptLogsParts) {
    this.#parts = parts;
    mkdirSync(parts.directory, { recursive: true, mode: 0o700 });
  }

  directoryOf(serviceId: string): string {
    return join(this.#parts.directory, serviceId);
  }

  of(serviceId: string): ServiceLog {
    const log = this.#logs.get(serviceId) ?? new ServiceLog(this.directoryOf(serviceId));
    this.#logs.set(serviceId, log);
    return log;
  }

  /** Id of a service's last line; 0 if there is none. */
  lastIdOf(serviceId: string): number {
    return (
      this.#logs.get(serviceId)?.lastId ?? listSegments(this.directoryOf(serviceId)).at(-1)?.firstId ?? 0
    );
  }

  /** @throws NoRoomForLogs; then no line is kept */
  append(serviceId: string, lines: readonly ContainerLine[]): void {
    const log = this.of(serviceId);
    this.#makeRoom();
    for (let isKept = false; !isKept; ) {
      try {
        log.append(lines);
        isKept = true;
      } catch (error) {
        if (!(isFull(error) && this.#dropOldest())) throw new NoRoomForLogs(String(error));
      }
    }
    if (log.rotate(this.#parts.clock.now())) void this.tidy();
  }

  /** Adds a line of the platform about a version. On a full disk the line is lost. */
  note({ serviceId, deploymentId }: { serviceId: string; deploymentId: string }, text: string): void {
    const container = { id: `platform-${deploymentId}`, deploymentId };
    const at = this.#parts.clock.now() * 1_000;
    try {
      this.append(serviceId, [{ at, stream: 'system', text, container }]);
    } catch (error) {
      this.#parts.logger.warn(`a line about ${serviceId} was not kept: ${error}`);
    }
  }

  /** Removes the logs of a service permanently. */
  remove(serviceId: string): void {
    for (const id of [serviceId, accessLogOf(serviceId)]) {
      this.#logs.delete(id);
      rmSync(this.directoryOf(id), { recursive: true, force: true });
    }
  }

  /** Compresses complete segments and removes segments above the limits. Never rejects. */
  tidy(): Promise<void> {
    this.#tidying = this.#tidying
      .then(() => this.#tidy())
      .catch((error: unknown) => {
        this.#parts.logger.warn(`the kept logs could not be tidied up: ${error}`);
      });
    return this.#tidying;
  }

  async #tidy(): Promise<void> {
    const { limits, clock } = this.#parts;
    for (const serviceId of this.#services()) {
      const share = isAccessLog(serviceId) ? accessShare : 1;
      const bytesMax = Math.max(serviceBytesMin, limits.serviceBytes * share);
      const log = this.of(serviceId);
      log.rotate(clock.now());
      await log.compressComplete();
      const segments = listSegments(log.directory);
      let bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
      for (const segment of segments) {
        const isOld = segment.writtenAt < clock.now() - limits.ageMs;
        const isAbove = bytes > bytesMax && segment !== segments.at(-1);
        if (!isOld && !isAbove) continue;
        bytes -= segment.bytes;
        this.#drop(serviceId, segment);
      }
    }
    this.#boundTotal();
  }

  #boundTotal(): void {
    const total = this.#parts.limits.totalBytes ?? this.#defaultTotal();
    const all = this.#removable();
    let bytes = all.reduce((sum, { segment }) => sum + segment.bytes, 0);
    for (const { serviceId, segment } of all) {
      if (bytes <= total) return;
      bytes -= segment.bytes;
      this.#drop(serviceId, segment);
    }
  }

  #defaultTotal(): number {
    return Math.min(totalBytesMax, this.#space().totalBytes * totalShare);
  }

  /** @throws NoRoomForLogs */
  #makeRoom(): void {
    const now = this.#parts.clock.now();
    if (now >= this.#roomCheckedAt && now < this.#roomCheckedAt + roomCheckMs) return;
    const hasRoom = () => {
      const { freeBytes, totalBytes } = this.#space();
      return freeBytes >= Math.min(freeBytesMin, totalBytes * freeShareMin);
    };
    while (!hasRoom()) {
      if (!this.#dropOldest()) throw new NoRoomForLogs('The disk of the host is almost full.');
    }
    this.#roomCheckedAt = now;
  }

  /** @returns true if there was a segment to remove */
  #dropOldest(): boolean {
    const [oldest] = this.#removable();
    if (oldest) this.#drop(oldest.serviceId, oldest.segment);
    return oldest !== undefined;
  }

  /** All segments that are no longer written, the oldest first, those of requests before all others. */
  #removable(): { serviceId: string; segment: Segment }[] {
    return this.#services()
      .flatMap((serviceId) =>
        listSegments(this.directoryOf(serviceId))
          .slice(0, -1)
          .map((segment) => ({ serviceId, segment })),
      )
      .sort(
        (one, other) =>
          Number(isAccessLog(other.serviceId)) - Number(isAccessLog(one.serviceId)) ||
          one.segment.writtenAt - other.segment.writtenAt,
      );
  }

  #drop(serviceId: string, { path }: Segment): void {
    this.#logs.get(serviceId)?.dropped(path);
    rmSync(path, { force: true });
  }

  #services(): string[] {
    try {
      return readdirSync(this.#parts.directory);
    } catch {
      return [];
    }
  }

  #space(): { freeBytes: number; totalBytes: number } {
    const { directory, readSpace = spaceOf } = this.#parts;
    return readSpace(directory);
  }
}

/** The minimum of the limits: a service always keeps its newest two segments. */
export const serviceBytesMin = 2 * segmentBytesMax;

const isFull = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

function spaceOf(directory: string): { freeBytes: number; totalBytes: number } {
  const { bavail, blocks, bsize } = statfsSync(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
