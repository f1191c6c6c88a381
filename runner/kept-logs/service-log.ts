/**
 * Writes the log of one service. The lines themselves contain the progress of each container, so no second record could differ after a
 * kill: lines in the file are kept, and reading continues after them.
 */
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import {
  disorderMicroseconds,
  idAt,
  type LineHead,
  lineFeed,
  linesOf,
  type NewLine,
  reach,
  type Source,
  sourceOf,
  writtenLine,
  writtenSource,
} from './kept-line.ts';
import {
  compressSegment,
  listSegments,
  type Segment,
  segmentBytesMax,
  segmentPath,
} from './segment-files.ts';

export interface ContainerLine extends NewLine {
  container: Pick<Source, 'deploymentId' | 'replica'> & { id: string };
}

/** The point from which a container's log continues. */
export interface ResumePoint {
  /** Docker's time of the last kept line, in microseconds; 0 if none is kept. */
  lastAt: number;
  /** Docker's time from which the log is read again. */
  since: number;
  /** The numbers of lines kept from then on, by `resumeKey`: Docker's log is not strictly ordered by time. */
  kept: Map<string, number>;
}

export const resumeKey = ({ at, stream }: Pick<NewLine, 'at' | 'stream'>) => `${stream[3]}${at}`;

/** A segment with older lines is completed, so that old lines can be removed. */
const segmentAgeMaxMs = 24 * 3_600_000;

export class ServiceLog {
  readonly #directory: string;
  readonly #sources = new Map<string, Source>();
  #nextSource = 1;
  #lastId = 0;
  /** The segment that is written; `undefined` if the next line begins one. */
  #active: Segment | undefined;
  /** Ids of the last lines of segments that this process has completed, by path. */
  readonly #lastIds = new Map<string, number>();
  removedId = 0; // Id of the last line that is known to be removed.

  /** Reads the progress of the log, and removes the torn last line of a kill or a power cut. */
  constructor(directory: string) {
    this.#directory = directory;
    const newest = listSegments(directory).at(-1);
    if (!newest) return;
    this.#lastId = newest.firstId;
    if (newest.isCompressed) return;
    this.#active = newest;
    this.#readActive(newest);
  }

  get directory(): string {
    return this.#directory;
  }

  /** Id of the last line; 0 if there is none. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Forgets all other containers: they are removed, and their logs with them. */
  retain(containerIds: ReadonlySet<string>): void {
    for (const id of this.#sources.keys()) if (!containerIds.has(id)) this.#sources.delete(id);
  }

  /** Time of the last event of the container that has a line; 0 if none has. */
  markAt(containerId: string): number {
    return this.#sources.get(containerId)?.markAt ?? 0;
  }

  resumePoint(containerId: string): ResumePoint {
    const source = this.#sources.get(containerId);
    if (!source || source.lastAt === 0) return { lastAt: 0, since: 0, kept: new Map() };
    return { lastAt: source.lastAt, ...this.#keptSince(source) };
  }

  /**
   * Adds lines in this order.
   * @throws Error of the file system; then no line is kept
   */
  append(lines: readonly ContainerLine[]): void {
    const changed = new Map<string, Source>();
    const texts: string[] = [];
    let id = this.#lastId;
    for (const line of lines) {
      id = Math.max(line.at, id + 1);
      const { id: containerId } = line.container;
      let source = changed.get(containerId);
      if (!source) {
        const known = this.#sources.get(containerId);
        source = known ? { ...known } : this.#newSource(line.container);
        changed.set(containerId, source);
        if (!known) texts.push(writtenSource(id, source));
      }
      texts.push(writtenLine(id, source.source, line));
      if (line.stream === 'system') source.markAt = Math.max(source.markAt, line.at);
      else reach(source, line.at);
    }
    const [first] = lines;
    if (!first) return;
    this.#write(texts.join(''), Math.max(first.at, this.#lastId + 1));
    this.#lastId = id;
    for (const source of changed.values()) this.#sources.set(source.containerId, source);
  }

  /** Completes the segment if it is large or old. @returns true if there may be one to compress */
  rotate(now: number): boolean {
    const active = this.#active;
    if (!active) return false;
    const isOld = now - active.firstId / 1000 > segmentAgeMaxMs;
    if (active.bytes < segmentBytesMax && !isOld) return false;
    this.#active = undefined;
    this.#lastIds.set(active.path, this.#lastId);
    return true;
  }

  /** Call when this segment was removed. */
  dropped(path: string): void {
    const written = path.replace(/\.zst$/, '');
    const isActive = this.#active?.path === path;
    this.removedId = Math.max(this.removedId, isActive ? this.#lastId : (this.#lastIds.get(written) ?? 0));
    this.#lastIds.delete(written);
    if (isActive) this.#active = undefined;
  }

  /** Compresses all complete segments but the newest two. */
  async compressComplete(): Promise<void> {
    const segments = listSegments(this.#directory);
    for (const segment of segments.slice(0, -2)) {
      if (!segment.isCompressed) await compressSegment(segment);
    }
  }

  #newSource({ id, deploymentId, replica }: ContainerLine['container']): Source {
    const numbered = replica === undefined ? {} : { replica };
    return { source: this.#nextSource++, containerId: id, deploymentId, ...numbered, lastAt: 0, markAt: 0 };
  }

  /** Writes all or nothing: after a full disk, a partly written text is removed. */
  #write(text: string, firstId: number): void {
    if (!this.#active) mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const segment = this.#active ?? emptySegment(this.#directory, firstId);
    const heads = segment.bytes === 0 ? [...this.#sources.values()] : [];
    const bytes = Buffer.from(heads.map((source) => writtenSource(firstId, source)).join('') + text);
    const file = openSync(segment.path, 'a', 0o600);
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    } catch (error) {
      ftruncateSync(file, segment.bytes);
      throw error;
    } finally {
      closeSync(file);
    }
    this.#active = { ...segment, bytes: segment.bytes + bytes.length };
  }

  #readActive(active: Segment): void {
    const bytes = readFileSync(active.path);
    let whole = 0;
    for (const { head, end } of linesOf(bytes)) {
      whole = end + 1;
      this.#lastId = Math.max(this.#lastId, head.id);
      if (head.stream === 'header') this.#readSource(sourceOf(bytes, head, end));
      else this.#advance(head);
    }
    if (whole === bytes.length) return;
    const file = openSync(active.path, 'r+');
    try {
      ftruncateSync(file, whole);
    } finally {
      closeSync(file);
    }
    this.#active = { ...active, bytes: whole };
  }

  #readSource(source: Source | undefined): void {
    if (!source) return;
    this.#sources.set(source.containerId, source);
    this.#nextSource = Math.max(this.#nextSource, source.source + 1);
  }

  #advance({ at, stream, source: number }: LineHead): void {
    const source = [...this.#sources.values()].find((one) => one.source === number);
    if (!source) return;
    if (stream === 'system') source.markAt = Math.max(source.markAt, at);
    else reach(source, at);
  }

  /** Counts the source's lines of its last second, or since the clock was set back. Only lines in the newest two segments are read again. */
  #keptSince({ source, lastAt, backAt }: Source): Pick<ResumePoint, 'since' | 'kept'> {
    const from = (backAt ?? lastAt) - disorderMicroseconds;
    const segments = listSegments(this.#directory);
    const readable = segments.slice(-2).filter(({ isCompressed }) => !isCompressed);
    const oldest = readable.length < segments.length ? (readable[0]?.firstId ?? from) : from;
    const since = Math.min(Math.max(from, oldest), backAt ?? Number.POSITIVE_INFINITY);
    const kept = new Map<string, number>();
    for (const { path } of readable) {
      const bytes = readFileSync(path);
      for (const { head } of linesOf(bytes, firstLineAfter(bytes, since - 1))) {
        if (head.source !== source || head.at < since) continue;
        if (head.stream === 'header' || head.stream === 'system') continue;
        const key = resumeKey({ at: head.at, stream: head.stream });
        kept.set(key, (kept.get(key) ?? 0) + 1);
      }
    }
    return { since, kept };
  }
}

const emptySegment = (directory: string, firstId: number): Segment => ({
  path: segmentPath(directory, firstId),
  firstId,
  isCompressed: false,
  bytes: 0,
  writtenAt: 0,
});

/**
 * Start of the first line with an id above this one, by bisection: ids increase.
 * @returns the buffer's length if there is none
 */
export function firstLineAfter(bytes: Buffer, id: number): number {
  let [low, high] = [0, bytes.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const start = middle === 0 ? 0 : bytes.lastIndexOf(lineFeed, middle - 1) + 1;
    if (idAt(bytes, start) > id) high = start;
    else {
      const end = bytes.indexOf(lineFeed, middle);
      low = end < 0 ? bytes.length : end + 1;
    }
  }
  return low;
}
