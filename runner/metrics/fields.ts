/** The storage of each series. The order is that of the file: a change needs a new `layoutVersion`. */
import {
  metricSeries,
  newerSeries,
  type SeriesKind,
  type SeriesName,
} from '../../protocol/metrics/series.ts';

/** Files of the version before are copied, those of any other version are recreated. */
export const layoutVersion = 2;

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
  ...newerSeries.map((name) => field(name)),
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

/** The files of version 1 (up to 0.2.0), which have neither the newer series nor more than two weeks. */
export const version1 = {
  version: 1,
  coarseSeconds: 14 * 86_400,
  fields: (fields: readonly Field[]) => fields.filter(({ name }) => !newerSeries.includes(name)),
} as const;
