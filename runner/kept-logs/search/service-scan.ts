/** Searches the kept log of one service, in either direction, from match to match. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FoundLine, type LogSearch, serviceOfLog } from '../../../protocol/logs/kept-logs.ts';
import type { LogLevel } from '../../../protocol/logs/log-levels.ts';
import {
  factsOf,
  headOf,
  idAt,
  idDigits,
  type LineHead,
  lineFeed,
  type Source,
  sourceOf,
} from '../kept-line.ts';
import { listSegments, readSegment, type Segment } from '../segment-files.ts';
import { firstLineAfter } from '../service-log.ts';
import type { LineFilter } from './line-filter.ts';
import type { SearchBudget } from './search-budget.ts';

export interface ScanParts {
  serviceId: string;
  directory: string;
  ask: Pick<LogSearch, 'order' | 'since' | 'until' | 'deploymentId'>;
  from: number | null;
  /** Only lines with higher ids. */
  after?: number | undefined;
  filter: LineFilter;
  budget: SearchBudget;
  /** Takes the lines that match; then the scan has no head, and `advance` ends after each segment. */
  count?: ((id: number, level: LogLevel | null) => void) | undefined;
}

interface Opened {
  segment: Segment;
  bytes: Buffer;
  sources: ReadonlyMap<number, Source>;
  /** Start of the next line; in backward searches its end. */
  at: number;
}

const sourceMark = Buffer.from('h {"source"');
/** The runner does other work after this time. */
const turnMs = 10;

export class ServiceScan {
  readonly #parts: ScanParts;
  readonly #isForward: boolean;
  #opened: Opened | undefined;
  /** Id of the last segment that was opened. */
  #segmentId: number | undefined;
  #position: number | null;
  #isDone = false;
  #head: FoundLine | undefined;
  #count: ScanParts['count'];

  constructor(parts: ScanParts) {
    this.#parts = parts;
    this.#count = parts.count;
    this.#isForward = parts.ask.order === 'oldest';
    this.#position = parts.from;
  }

  get serviceId(): string {
    return this.#parts.serviceId;
  }

  /** The next line that matches, if `advance` has found it. */
  get head(): FoundLine | undefined {
    return this.#head;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** The id from which a later search continues. */
  get from(): number | null {
    if (this.#head) return this.#head.id + (this.#isForward ? -1 : 1);
    return this.#position;
  }

  takeHead(): FoundLine | undefined {
    const head = this.#head;
    this.#head = undefined;
    if (head) this.#position = head.id;
    return head;
  }

  /** Counts the lines that match from here on, in place of finding them. */
  countFrom(count: NonNullable<ScanParts['count']>): void {
    const head = this.#head;
    this.#head = undefined;
    if (head) count(head.id, head.level);
    this.#count = count;
  }

  /** Searches for the next match until it is found, the log ends, or the budget is used up. */
  async advance(): Promise<void> {
    const { budget } = this.#parts;
    let turnAt = budget.now() + turnMs;
    while (!this.#head && !this.#isDone && !budget.isSpent) {
      if (!this.#opened && !(await this.#open())) this.#isDone = true;
      else this.#step();
      if (this.#count && !this.#opened) return;
      if (budget.now() < turnAt) continue;
      await nextTurn();
      turnAt = budget.now() + turnMs;
    }
  }

  async #open(): Promise<boolean> {
    const segment = this.#nextSegment();
    if (!segment) return false;
    this.#segmentId = segment.firstId;
    const bytes = await readSegment(segment);
    const [low, high] = this.#range();
    const at = firstLineAfter(bytes, this.#isForward ? low : high - 1);
    this.#opened = { segment, bytes, sources: sourcesIn(bytes), at };
    return true;
  }

  /** Ids between these two, both excluded, are searched. */
  #range(): [low: number, high: number] {
    const { ask, after = -1 } = this.#parts;
    const since = Math.max(ask.since ?? 0, after + 1);
    const until = ask.until ?? Number.MAX_SAFE_INTEGER;
    const position = this.#position;
    return this.#isForward
      ? [Math.max(since - 1, position ?? -1), until]
      : [since - 1, Math.min(until, position ?? Number.MAX_SAFE_INTEGER)];
  }

  #nextSegment(): Segment | undefined {
    const segments = listSegments(this.#parts.directory);
    const [low, high] = this.#range();
    const last = this.#segmentId;
    if (this.#isForward) {
      return segments.find(
        ({ firstId }, index) =>
          firstId > (last ?? -1) &&
          firstId < high &&
          (segments[index + 1]?.firstId ?? Number.MAX_SAFE_INTEGER) > low,
      );
    }
    const next = segments.findLast(({ firstId }) => firstId < Math.min(high, last ?? high));
    const end = next && (segments[segments.indexOf(next) + 1]?.firstId ?? Number.MAX_SAFE_INTEGER);
    return next && end !== undefined && end > low ? next : undefined;
  }

  /** Checks one line: the next, or the next that contains the needle. */
  #step(): void {
    const opened = this.#opened;
    if (!opened) return;
    const line = this.#isForward ? this.#nextLine(opened) : this.#lineBefore(opened);
    if (!line) {
      this.#close(opened);
      return;
    }
    const { start, end } = line;
    const head = headOf(opened.bytes, start, end);
    if (!head) return;
    const [low, high] = this.#range();
    if (this.#isForward ? head.id >= high : head.id <= low) this.#isDone = true;
    else this.#look(opened, head, end);
  }

  /** Lines that the needle has skipped were searched, too. */
  #close({ segment, bytes }: Opened): void {
    this.#opened = undefined;
    const end = bytes.length - 1;
    if (end <= 0) return;
    this.#position = this.#isForward ? idAt(bytes, startOfLine(bytes, end)) : segment.firstId;
  }

  #look({ bytes, sources }: Opened, head: LineHead, end: number): void {
    this.#position = head.id;
    if (head.stream === 'header') return;
    const { serviceId, filter, ask } = this.#parts;
    const { deploymentId = null, replica } = sources.get(head.source) ?? {};
    if (ask.deploymentId !== undefined && deploymentId !== ask.deploymentId) return;
    const line = bytes.toString('utf8', head.textAt, end);
    const { id, stream } = head;
    const match = filter.match({
      ...{ line, stream, deploymentId, replica, facts: factsOf(bytes, head) },
      serviceId: serviceOfLog(serviceId),
    });
    if (!match) return;
    const level = stream === 'system' ? null : match.level;
    if (this.#count) this.#count(id, level);
    else
      this.#head = {
        ...{ serviceId, id, stream, deploymentId, line, level },
        ...(replica !== undefined && { replica }),
      };
  }

  #nextLine(opened: Opened): { start: number; end: number } | undefined {
    const { bytes, at } = opened;
    const { filter, budget } = this.#parts;
    const found = filter.needle ? bytes.indexOf(filter.needle, at) : at;
    const end = found < 0 ? -1 : bytes.indexOf(lineFeed, found);
    opened.at = end < 0 ? bytes.length : end + 1;
    budget.use(opened.at - at);
    budget.lines += filter.needle ? linesIn(bytes, at, opened.at) : 1;
    if (end < 0) return undefined;
    return { start: filter.needle ? startOfLine(bytes, found) : at, end };
  }

  #lineBefore(opened: Opened): { start: number; end: number } | undefined {
    const { bytes, at } = opened;
    const { filter, budget } = this.#parts;
    const found = at === 0 ? -1 : filter.needle ? bytes.lastIndexOf(filter.needle, at - 1) : at - 1;
    opened.at = found < 0 ? 0 : startOfLine(bytes, found);
    budget.use(at - opened.at);
    budget.lines += filter.needle ? linesIn(bytes, opened.at, at) : 1;
    if (found < 0) return undefined;
    return { start: opened.at, end: filter.needle ? bytes.indexOf(lineFeed, found) : at - 1 };
  }
}

function linesIn(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = bytes.indexOf(lineFeed, from); at >= 0 && at < to; at = bytes.indexOf(lineFeed, at + 1))
    count += 1;
  return count;
}

/** A negative offset of `lastIndexOf` counts from the end. */
const startOfLine = (bytes: Buffer, at: number) => (at === 0 ? 0 : bytes.lastIndexOf(lineFeed, at - 1) + 1);

/** A segment describes a source before its first line, and a scan may begin at the other end. */
function sourcesIn(bytes: Buffer): Map<number, Source> {
  const sources = new Map<number, Source>();
  for (let at = bytes.indexOf(sourceMark); at >= 0; at = bytes.indexOf(sourceMark, at + 1)) {
    const start = at - idDigits;
    if (start < 0 || (start > 0 && bytes[start - 1] !== lineFeed)) continue;
    const end = bytes.indexOf(lineFeed, at);
    const head = end < 0 ? undefined : headOf(bytes, start, end);
    const source = head?.stream === 'header' ? sourceOf(bytes, head, end) : undefined;
    if (source) sources.set(source.source, source);
  }
  return sources;
}
