/** The metrics of this host: two rings on its disk, ten seconds for a day and five minutes for 30 days. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { keptMetrics, type SeriesName } from '../../protocol/metrics/series.ts';
import { Columns } from './columns.ts';
import { coarseFields, type Field, fineFields, kindOf, type Values, version1 } from './fields.ts';
import { Histogram } from './histogram.ts';
import { packNumber } from './log-number.ts';
import { readPoints, type StoredSeries, type Wanted } from './read-points.ts';
import { RingFile } from './ring-file.ts';

export interface Sample {
  values: Values;
  /** Durations of the requests in this step; absent if there were none. */
  durations?: Histogram;
}

/** The interval of writing an unfinished step of five minutes: a crash loses no more. */
const coarseWriteMs = 60_000;

const resolutions = {
  fine: { ...keptMetrics.fine, fields: fineFields, file: 'fine.ring' },
  coarse: { ...keptMetrics.coarse, fields: coarseFields, file: 'coarse.ring' },
} as const;
type Resolution = keyof typeof resolutions;

export class MetricStore {
  readonly #directory: string;
  readonly #columns: Columns;
  readonly #rings: Record<Resolution, RingFile>;
  #coarse = new Map<string, CoarseValues>();
  #coarseStep = 0;
  #coarseWrittenAt = 0;
  /** Epoch milliseconds of the last values, by key. */
  readonly #lastAt = new Map<string, number>();

  /** Opens or creates the files in this directory. @throws Error of the file system */
  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#columns = new Columns(join(directory, 'columns.json'));
    this.#rings = { fine: this.#open('fine'), coarse: this.#open('coarse') };
  }

  /** Stores the values measured at this moment. @param at epoch milliseconds @throws Error of the file system */
  record(at: number, samples: ReadonlyMap<string, Sample>): void {
    const { isChanged, hasGrown } = this.#columns.claim([...samples.keys()], at);
    if (hasGrown) this.#grow();
    const step = stepAt('coarse', at);
    if (step !== this.#coarseStep) this.#beginCoarse(step);
    for (const [key, { values, durations }] of samples) {
      const coarse = this.#coarse.get(key) ?? new CoarseValues();
      coarse.add(values, durations);
      this.#coarse.set(key, coarse);
      this.#lastAt.set(key, at);
    }
    this.#write('fine', stepAt('fine', at), [...samples.keys()], (key, { name }) => {
      return samples.get(key)?.values[name];
    });
    const isDue = at - this.#coarseWrittenAt >= coarseWriteMs || at < this.#coarseWrittenAt;
    // A new owner must not get the previous owner's values of this step.
    if (isDue || isChanged) this.#writeCoarse(at);
  }

  /** The values of a service or the host in steps; `undefined` if none were ever stored. */
  read(
    key: string,
    wanted: Wanted,
    now: number,
  ): { series: StoredSeries[]; lastAt: number | null } | undefined {
    const [read] = this.readMany([key], wanted, now);
    return read && { series: read.series, lastAt: this.#lastAt.get(key) ?? read.lastAt };
  }

  /** The same for several keys, by one pass over the file. Keys of which nothing was ever stored are left out. */
  readMany(
    keys: readonly string[],
    wanted: Wanted,
    now: number,
  ): { key: string; series: StoredSeries[]; lastAt: number | null }[] {
    const columns = keys.map((key) => this.#columns.of(key)).filter((column) => column !== undefined);
    if (columns.length === 0) return [];
    const { fine, coarse } = resolutions;
    const isFine =
      wanted.stepSeconds < coarse.stepSeconds &&
      wanted.from >= now - (fine.seconds + fine.stepSeconds) * 1000;
    const chosen: Resolution = isFine ? 'fine' : 'coarse';
    const { stepSeconds, fields } = resolutions[chosen];
    return readPoints(this.#rings[chosen], { stepSeconds, fields }, columns, wanted);
  }

  close(): void {
    for (const ring of Object.values(this.#rings)) ring.close();
  }

  #beginCoarse(step: number): void {
    // The last minute of the previous step is not written yet.
    if (this.#coarse.size > 0) this.#writeCoarse(this.#coarseWrittenAt);
    this.#coarse = new Map();
    this.#coarseStep = step;
  }

  #writeCoarse(at: number): void {
    this.#coarseWrittenAt = at;
    this.#write('coarse', this.#coarseStep, [...this.#coarse.keys()], (key, { name, part }) => {
      const values = this.#coarse.get(key);
      return part === 'maximum' ? values?.maximum(name) : values?.average(name);
    });
  }

  #write(
    resolution: Resolution,
    step: number,
    keys: readonly string[],
    read: (key: string, field: Field) => number | null | undefined,
  ): void {
    const { fields } = resolutions[resolution];
    const packed = new Uint16Array(this.#columns.capacity * fields.length);
    for (const key of keys) {
      const column = this.#columns.of(key);
      if (!column) continue;
      fields.forEach((field, at) => {
        packed[column.at * fields.length + at] = packNumber(read(key, field), field.scale);
      });
    }
    this.#rings[resolution].write(step, packed);
  }

  #grow(): void {
    for (const resolution of ['fine', 'coarse'] as const) {
      this.#rings[resolution].close();
      this.#rings[resolution] = this.#open(resolution);
    }
  }

  #open(resolution: Resolution) {
    const { seconds, stepSeconds, fields, file } = resolutions[resolution];
    const shape = {
      places: seconds / stepSeconds,
      columns: this.#columns.capacity,
      fields: fields.length,
    };
    const then = version1.fields(fields);
    const from = fields.map((field) => then.indexOf(field));
    const secondsThen = resolution === 'coarse' ? version1.coarseSeconds : seconds;
    return RingFile.open(join(this.#directory, file), shape, {
      ...{ version: version1.version, places: secondsThen / stepSeconds, fields: then.length, from },
    });
  }
}

const stepAt = (resolution: Resolution, at: number) =>
  Math.floor(at / 1000 / resolutions[resolution].stepSeconds);

/** The values of one step of five minutes, gathered from those of its parts. */
class CoarseValues {
  readonly #sums = new Map<SeriesName, { sum: number; count: number; maximum: number }>();
  readonly #durations = new Histogram();

  /** @param durations of the requests of this part */
  add(values: Values, durations: Histogram | undefined): void {
    for (const [name, value] of Object.entries(values) as [SeriesName, number | null][]) {
      if (value === null) continue;
      const known = this.#sums.get(name) ?? { sum: 0, count: 0, maximum: 0 };
      known.sum += value;
      known.count += 1;
      known.maximum = Math.max(known.maximum, value);
      this.#sums.set(name, known);
    }
    if (durations) this.#durations.addAll(durations);
  }

  average(name: SeriesName): number | null {
    // A mean of percentiles would be wrong: these are of all requests of the step.
    if (name === 'latencyP50') return this.#durations.percentile(0.5);
    if (name === 'latencyP95') return this.#durations.percentile(0.95);
    if (name === 'latencyP99') return this.#durations.percentile(0.99);
    const known = this.#sums.get(name);
    if (!known) return null;
    return kindOf(name) === 'count' ? known.sum : known.sum / known.count;
  }

  maximum(name: SeriesName): number | null {
    return this.#sums.get(name)?.maximum ?? null;
  }
}
