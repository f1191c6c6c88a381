/** Medians and percentiles. */

/** @param part 0 to 1; nearest rank */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]) => percentile(values, 0.5);

export const round = (value: number, digits = 1) => Number(value.toFixed(digits));

export const spread = (values: readonly number[]) => ({
  count: values.length,
  min: round(percentile(values, 0)),
  median: round(median(values)),
  p99: round(percentile(values, 0.99)),
  max: round(percentile(values, 1)),
});
