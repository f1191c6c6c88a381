/** Counts lines by level in equal parts of a time range. */
import type { HistogramPart, LogSearch } from '../../../protocol/logs/kept-logs.ts';
import type { LogLevel } from '../../../protocol/logs/log-levels.ts';
import { InvalidSearch } from './line-filter.ts';

export class LevelCounts {
  readonly #since: number;
  readonly #partMicroseconds: number;
  readonly #buckets: number;
  readonly #levels: HistogramPart['levels'][] = [];

  /** @throws InvalidSearch without a range */
  constructor({ since, until }: Pick<LogSearch, 'since' | 'until'>, buckets: number) {
    if (since === undefined || until === undefined || until <= since)
      throw new InvalidSearch('Lines are counted in a range of time: give its beginning and its end.');
    this.#since = since;
    this.#buckets = buckets;
    this.#partMicroseconds = (until - since) / buckets;
  }

  /** @param id the time of the line in microseconds */
  add(id: number, level: LogLevel | null): void {
    const bucket = Math.min(this.#buckets - 1, Math.floor((id - this.#since) / this.#partMicroseconds));
    const levels = this.#levels[bucket] ?? {};
    this.#levels[bucket] = levels;
    const name = level ?? 'none';
    levels[name] = (levels[name] ?? 0) + 1;
  }

  /** Parts with lines, oldest first. */
  parts(): HistogramPart[] {
    return this.#levels.flatMap((levels, bucket) => (levels ? [{ bucket, levels }] : []));
  }
}
