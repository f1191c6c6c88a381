/** Reads the values of services from a ring and joins them into the steps that a client asks for. */
import { metricSeries, type SeriesName } from '../../protocol/metrics/series.ts';
import type { Column } from './columns.ts';
import { type Field, kindOf } from './fields.ts';
import { unpackNumber } from './log-number.ts';
import type { RingFile } from './ring-file.ts';

export interface Wanted {
  /** Epoch milliseconds. */
  from: number;
  stepSeconds: number;
  points: number;
  series: readonly SeriesName[];
}

export interface StoredSeries {
  name: SeriesName;
  average: (number | null)[];
  maximum: (number | null)[];
}

/** Digits of an answer: values are stored with an error of 0.03 %. */
const digits = 3;

interface Joined {
  sum: number;
  weight: number;
  maximum: number;
}

/** @param stored the length of the ring's steps, and the fields of each. @returns one element for each column */
export function readPoints(
  ring: Pick<RingFile, 'read'>,
  stored: { stepSeconds: number; fields: readonly Field[] },
  columns: readonly Column[],
  { from, stepSeconds, points, series }: Wanted,
): { key: string; series: StoredSeries[]; lastAt: number | null }[] {
  const storedMs = stored.stepSeconds * 1000;
  const { length } = stored.fields;
  const requests = stored.fields.findIndex(({ name }) => name === 'requests');
  const requestScale = stored.fields[requests]?.scale ?? 1;
  const read = columns.map(({ key, at, since }) => ({
    ...{ key, offset: at * length, lastAt: null as number | null },
    // The step in which the column got its owner was written again by the new owner.
    first: Math.max(Math.ceil(from / storedMs), Math.floor(since / storedMs)),
    readers: series.map((name) => new SeriesReader(name, stored.fields, points)),
  }));
  const first = Math.min(...read.map((one) => one.first));
  const end = Math.ceil((from + points * stepSeconds * 1000) / storedMs);
  ring.read(first, end, (step, packed) => {
    const point = Math.floor((step * storedMs - from) / 1000 / stepSeconds);
    for (const one of read) {
      if (step < one.first) continue;
      const own = packed.subarray(one.offset, one.offset + length);
      if (own.some((value) => value !== 0)) one.lastAt = step * storedMs;
      const weight = unpackNumber(own[requests] ?? 0, requestScale) ?? 0;
      for (const reader of one.readers) reader.take(point, own, weight);
    }
  });
  return read.map(({ key, lastAt, readers }) => ({
    ...{ key, lastAt },
    series: readers.map((reader) => reader.done()),
  }));
}

class SeriesReader {
  readonly #name: SeriesName;
  readonly #average: { at: number; scale: number };
  /** Place of the stored peak; -1 if there is none, so the values themselves are compared. */
  readonly #maximumAt: number;
  readonly #points: (Joined | undefined)[];

  constructor(name: SeriesName, fields: readonly Field[], points: number) {
    const find = (part: Field['part']) => fields.findIndex((one) => one.name === name && one.part === part);
    const average = find('average');
    const scale = fields[average]?.scale ?? 1;
    this.#name = name;
    this.#average = { at: average, scale };
    this.#maximumAt = find('maximum');
    this.#points = new Array(points);
  }

  take(point: number, own: Uint16Array, requests: number): void {
    const { at, scale } = this.#average;
    const value = unpackNumber(own[at] ?? 0, scale);
    if (value === null || point < 0 || point >= this.#points.length) return;
    const peak = unpackNumber(own[this.#maximumAt] ?? 0, scale) ?? value;
    // A percentile of few requests has less weight in a step than one of many.
    const weight = kindOf(this.#name) === 'latency' ? requests : 1;
    const joined = this.#points[point];
    if (joined) {
      joined.sum += value * weight;
      joined.weight += weight;
      joined.maximum = Math.max(joined.maximum, peak);
    } else this.#points[point] = { sum: value * weight, weight, maximum: peak };
  }

  done(): StoredSeries {
    const kind = kindOf(this.#name);
    const isWhole = kind === 'count' || metricSeries[this.#name].unit.startsWith('bytes');
    const shown = (value: number) => (isWhole ? Math.round(value) : Number(value.toPrecision(digits)));
    const points = Array.from(this.#points);
    return {
      name: this.#name,
      average: points.map((one) => (one ? shown(kind === 'count' ? one.sum : one.sum / one.weight) : null)),
      maximum: points.map((one) => (one ? shown(one.maximum) : null)),
    };
  }
}
