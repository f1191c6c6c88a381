/** The storage of each series. The order is that of the file: a change needs a new `layoutVersion`. */
import { metricSeries, type SeriesKind, type SeriesName } from '../../protocol/metrics/series.ts';

/** Files of another version are recreated. */
export const layoutVersion = 1;

/** Values of one service, or of the host, at one moment; absent if unknown. */
export type Values = Partial<Record<SeriesName, number | null>>;

export interface Field {
  name: SeriesName;
  /** The value for the parts of a step: their mean, or the largest one. */
  part: 'average' | 'maximum';
  scale: number;
}

const scales: Record<(typeof metricSeries)[SeriesName]['unit'], number> = {
  cores: 10_000,
  bytes: 1,
  'bytes/s': 1,
  'requests/s': 1_000,
  ms: 1_000,
  connections: 1,
  restarts: 1,
  kills: 1,
};

const field = (name: SeriesName, part: Field['part'] = 'average'): Field => ({
  name,
  part,
  scale: scales[metricSeries[name].unit],
});

export const kindOf = (name: SeriesName): SeriesKind => metricSeries[name].kind;

/** The values stored every ten seconds. */
export const fineFields: readonly Field[] = [
  field('cpu'),
  field('memory'),
  field('networkIn'),
  field('networkOut'),
  field('diskRead'),
  field('diskWrite'),
  field('diskUsed'),
  field('requests'),
  field('errors'),
  field('latencyP50'),
  field('latencyP99'),
  field('connections'),
  field('restarts'),
  field('outOfMemory'),
];

/** The values stored every five minutes, including the peaks by which people size their services. */
export const coarseFields: readonly Field[] = [
  ...fineFields,
  field('cpu', 'maximum'),
  field('memory', 'maximum'),
  field('requests', 'maximum'),
  field('latencyP99', 'maximum'),
  field('connections', 'maximum'),
];
