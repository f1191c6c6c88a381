/**
 * Prepares one job's log for the spool: whole lines, cleaned, masked, cut, in chunks.
 * Nothing unmasked leaves this file.
 */
import type { LogLine } from '../../protocol/frames.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { LogSpool } from '../journal/log-spool.ts';
import { LineCutter, type RawLine } from './line-cutter.ts';
import { lineBytesMax, presentable } from './presentable-line.ts';
import { eitherMask, type SecretMask, secretMask } from './secret-mask.ts';

/** The size of a chunk: 100 lines or 64 KB, whichever is reached first. */
const chunkLinesMax = 100;
const chunkBytesMax = 64 * 1024;
/** Fast lines fill a chunk before a person notices: this many lines in this many milliseconds already count as fast. */
const dense = { lines: 40, withinMs: 40 };
/** Output limit of one job: a build that prints more is broken, and the host's disk and the control plane's tables are finite. */
const logBytesMax = 50 * 2 ** 20;

/** The log of one job. Lines are masked, cut at 8 KB, numbered and spooled before they leave the host. */
export interface JobLog {
  /** Adds one whole line. */
  line(stream: LogLine['stream'], text: string): void;
  /** Raw output of a process: cut into lines; an unfinished line is kept until more arrives or the job ends. */
  write(stream: 'stdout' | 'stderr', chunk: Uint8Array | string): void;
  /** Masks these values, too, from the next line on. Call it before the output that may contain them. */
  hide(secrets: readonly string[]): void;
}

export interface JobLogParts {
  job: string;
  spool: LogSpool;
  mask: SecretMask;
  clock: Clock;
  logger: Logger;
  /** The time that a line may wait for others to share its frame. */
  flushDelayMs: () => number;
  /** Called when a chunk is in the spool. */
  spooled: () => void;
  /** The rest of the tenant's build logs for today; `null` or absent without a limit. Lines beyond it are dropped. */
  tenantBytesLeft?: number | null | undefined;
  /** Limit of the kept output of one job; the rest is dropped. `logBytesMax` by default. */
  bytesMax?: number;
}

export class JobLogWriter implements JobLog {
  readonly #parts: JobLogParts;
  #mask: SecretMask;
  #cutters: Record<'stdout' | 'stderr', LineCutter>;
  #lines: LogLine[] = [];
  #linesBytes = 0;
  #bytes: number;
  #full: boolean;
  #cancelFlush: (() => void) | undefined;

  constructor(parts: JobLogParts) {
    this.#parts = parts;
    this.#mask = parts.mask;
    this.#cutters = cuttersFor(parts.mask);
    const { bytes, full } = parts.spool.head(parts.job);
    this.#bytes = bytes;
    this.#full = full;
  }

  /** Bytes of the log so far. */
  get bytes(): number {
    return this.#bytes;
  }

  line(stream: LogLine['stream'], text: string): void {
    const cutter = new LineCutter(lineBytesMax + this.#mask.longest);
    const lines = [...cutter.push(text), ...cutter.end()];
    if (lines.length === 0) this.#add(stream, { text: '', cut: false });
    for (const line of lines) this.#add(stream, line);
  }

  write(stream: 'stdout' | 'stderr', chunk: Uint8Array | string): void {
    for (const line of this.#cutters[stream].push(chunk)) this.#add(stream, line);
  }

  hide(secrets: readonly string[]): void {
    this.#endLines();
    this.#mask = eitherMask(this.#mask, secretMask(secrets));
    this.#cutters = cuttersFor(this.#mask);
  }

  /** Writes the waiting lines to the spool now. */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    if (this.#lines.length === 0) return;
    const { job, spool, logger, spooled } = this.#parts;
    const lines = this.#lines;
    this.#lines = [];
    this.#linesBytes = 0;
    try {
      spool.append(job, lines, { bytes: this.#bytes, full: this.#full });
    } catch (error) {
      // A full disk must not fail the job through its log.
      logger.error(`${lines.length} log lines of ${job} could not be written and are lost`, error);
      return;
    }
    spooled();
  }

  /** The job has ended: writes unfinished lines, too. */
  end(): void {
    this.#endLines();
    this.flush();
    this.#parts.spooled(); // even when no lines are left: the sender must mark the end for the hub
  }

  #endLines(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      for (const line of this.#cutters[stream].end()) this.#add(stream, line);
    }
  }

  #add(stream: LogLine['stream'], raw: RawLine): void {
    if (this.#full && stream !== 'system') return;
    const line = presentable(raw, this.#mask);
    const bytes = countedBytes(line);
    const limit = this.#full ? undefined : this.#limitReached(bytes);
    if (limit !== undefined) {
      this.#full = true;
      this.#push('system', `The log was truncated here: ${limit}.`);
      if (stream !== 'system') return;
    }
    this.#push(stream, line);
  }

  /** @returns the reason why the log may not grow by this many bytes; `undefined` if it may */
  #limitReached(bytes: number): string | undefined {
    const { bytesMax = logBytesMax, tenantBytesLeft } = this.#parts;
    const size = this.#bytes + bytes;
    if (size > bytesMax) return 'it has reached 50 MB';
    if (tenantBytesLeft == null || size <= tenantBytesLeft) return undefined;
    return `${tenantBytesLeft} bytes were left of the quotas "buildLogBytesPerDay" and "logBytes" when it started`;
  }

  #push(stream: LogLine['stream'], line: string): void {
    const bytes = countedBytes(line);
    if (this.#linesBytes + bytes > chunkBytesMax) this.flush();
    const at = this.#parts.clock.now();
    this.#lines.push({ stream, at, line });
    this.#linesBytes += bytes;
    this.#bytes += bytes;
    const isDense = this.#lines.length >= dense.lines && at - (this.#lines[0]?.at ?? at) >= dense.withinMs;
    if (isDense || this.#lines.length >= chunkLinesMax || this.#linesBytes >= chunkBytesMax) this.flush();
    else this.#cancelFlush ??= this.#parts.clock.after(this.#parts.flushDelayMs(), () => this.flush());
  }
}

function cuttersFor({ longest }: SecretMask): Record<'stdout' | 'stderr', LineCutter> {
  const charsMax = lineBytesMax + longest;
  return { stdout: new LineCutter(charsMax), stderr: new LineCutter(charsMax) };
}

/** Short lines count as this many bytes: each takes some in frames and rows, and a program that prints only newlines must have an end. */
const lineBytesMin = 32;

const countedBytes = (line: string): number => Math.max(Buffer.byteLength(line), lineBytesMin);
