/**
 * Writes the log of one service. The lines themselves say how far the log of each container is kept, so a kill at any moment leaves no
 * second record that could differ: what is in the file is kept, and reading goes on after it.
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

/** Where reading a container's log goes on. */
export interface ResumePoint {
  /** Docker's time of the last kept line, in microseconds; 0: none is kept. */
  lastAt: number;
  /** Docker's time from which it is read again. */
  since: number;
  /** How many lines from then on are kept, by `resumeKey`: Docker's log is not strictly ordered by time. */
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
  /** The segment that is written; undefined: the next line begins one. */
  #active: Segment | undefined;
  /** Ids of the last lines of segments that this process has completed, by path. */
  readonly #lastIds = new Map<string, number>();
  removedId = 0; // Of the last line that is known to be removed.

  /** Reads how far the log is kept, and removes what a kill or a power cut has left of a last line. */
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

  /** Id of the last line; 0: there is none. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Forgets the containers that are not among these: they are gone, and their logs with them. */
  retain(containerIds: ReadonlySet<string>): void {
    for (const id of this.#sources.keys()) if (!containerIds.has(id)) this.#sources.delete(id);
  }

  /** Time of the last event of the container that has a line; 0: none has. */
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
   * @throws Error of the file system; then none of them is kept
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

  /** Completes the segment if it is large or old. @returns whether there may be one to compress */
  rotate(now: number): boolean {
    const active = this.#active;
    if (!active) return false;
    const isOld = now - active.firstId / 1000 > segmentAgeMaxMs;
    if (active.bytes < segmentBytesMax && !isOld) return false;
    this.#active = undefined;
    this.#lastIds.set(active.path, this.#lastId);
    return true;
  }

  /** This segment was removed. */
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

  /** All or nothing: after a full disk, what was written of it is removed. */
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

  /** Counts the source's lines of its last second, or since the clock was set back. Of it only as much is read again as the newest two segments have. */
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
