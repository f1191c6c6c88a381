/** The values of one step of five minutes, gathered from those of its parts. */
import type { SeriesName } from '../../protocol/metrics/series.ts';
import { kindOf, type Values } from './fields.ts';
import { Histogram } from './histogram.ts';

export class CoarseValues {
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
    // A mean of percentiles would be none: these are of all requests of the step.
    if (name === 'latencyP50') return this.#durations.percentile(0.5);
    if (name === 'latencyP99') return this.#durations.percentile(0.99);
    const known = this.#sums.get(name);
    if (!known) return null;
    return kindOf(name) === 'count' ? known.sum : known.sum / known.count;
  }

  maximum(name: SeriesName): number | null {
    return this.#sums.get(name)?.maximum ?? null;
  }
}
