/** Counts lines by level over a range of time, on all hosts of the services. */
import type { HistogramPart, searchEnds } from '../../../protocol/logs/kept-logs.ts';
import type { LogPositions } from '../../domain/logs/log-cursor.ts';
import type { SearchedServiceRow } from '../../store/logs/log-search-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { sumOf } from './merged-page.ts';
import { type AskedHost, askHosts, type HostQuery, type SearchPlaces } from './search-logs.ts';

export interface CountedLines {
  /** Parts with lines, oldest first. */
  parts: HistogramPart[];
  next: LogPositions;
  stopped: (typeof searchEnds)[number];
  scannedBytes: number;
  scannedLines: number;
  hosts: readonly AskedHost[];
}

/**
 * The newest lines are counted first.
 * @param query with `buckets`, `since` and `until`
 * @throws ApiError as `searchLogs`
 */
export async function countLogs(
  deps: Pick<Dependencies, 'hubs'>,
  services: readonly SearchedServiceRow[],
  query: Omit<HostQuery, 'order' | 'limit'>,
  places: SearchPlaces,
): Promise<CountedLines> {
  const { pages, hosts } = await askHosts(deps, services, { ...query, order: 'newest', limit: 1 }, places);
  const sums: HistogramPart['levels'][] = [];
  for (const { answer } of pages)
    for (const { bucket, levels } of answer.histogram ?? []) sums[bucket] = sumOfLevels(sums[bucket], levels);
  const reached = pages.flatMap(({ answer, placeOf }) =>
    answer.services.map(({ serviceId, from }) => [placeOf(serviceId), from] as const),
  );
  return {
    parts: sums.flatMap((levels, bucket) => (levels ? [{ bucket, levels }] : [])),
    next: new Map([...places.from, ...reached]),
    stopped: pages.map(({ answer }) => answer.stopped).find((stopped) => stopped !== 'end') ?? 'end',
    scannedBytes: sumOf(pages, ({ scannedBytes }) => scannedBytes),
    scannedLines: sumOf(pages, ({ scannedLines = 0 }) => scannedLines),
    hosts,
  };
}

function sumOfLevels(
  one: HistogramPart['levels'] = {},
  other: HistogramPart['levels'],
): HistogramPart['levels'] {
  const sum = { ...one };
  for (const [level, count = 0] of Object.entries(other)) {
    const name = level as keyof HistogramPart['levels'];
    sum[name] = (sum[name] ?? 0) + count;
  }
  return sum;
}
