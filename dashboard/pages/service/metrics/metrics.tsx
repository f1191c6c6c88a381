/** The resource use and requests of a service over time, with its deployments. */
import { keepPreviousData, useQuery } from '@tanstack/solid-query';
import { createSignal, For } from 'solid-js';
import type { ReplyOf } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import type { Overview } from '../../../api/queries.ts';
import { ageText, now } from '../../../ui/age.tsx';
import { Answer } from '../../../ui/answer.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Refreshed } from '../../../ui/refreshed.tsx';
import { Show } from '../../../ui/show.ts';
import { titleOf } from '../deployment-facts.ts';
import { metricsText } from '../metrics-text.ts';
import { Chart, type Marker } from './chart.tsx';
import '../../../styles/metrics.css';

type Measured = ReplyOf<'GET /api/services/:serviceId/metrics'>['metrics'];
type Series = Measured['series'][number]['name'];
type ChartName = keyof typeof metricsText.charts;
type Range = keyof typeof metricsText.ranges;

const hourMs = 3_600_000;
const rangeMs: Record<Range, number> = {
  hour: hourMs,
  day: 24 * hourMs,
  week: 7 * 24 * hourMs,
  twoWeeks: 14 * 24 * hourMs,
};
/** Number of points in a chart: about one per two pixels. */
const pointsMax = 400;
/** A host measures every ten seconds; a visible page polls every third time. */
const renewedMs = 30_000;
/** Above this age the newest value is marked as old. */
const oldSeconds = 60;

const charts: readonly { name: ChartName; series: readonly Series[]; limit?: 'cpu' | 'memory' }[] = [
  { name: 'cpu', series: ['cpu'], limit: 'cpu' },
  { name: 'memory', series: ['memory'], limit: 'memory' },
  { name: 'requests', series: ['requests', 'errors'] },
  { name: 'latency', series: ['latencyP50', 'latencyP99'] },
  { name: 'connections', series: ['connections'] },
  { name: 'network', series: ['networkIn', 'networkOut'] },
  { name: 'disk', series: ['diskRead', 'diskWrite'] },
  { name: 'diskUsed', series: ['diskUsed'] },
  { name: 'trouble', series: ['restarts', 'outOfMemory'] },
];

export function Metrics(props: { overview: Overview }) {
  const [range, setRange] = createSignal<Range>('hour');
  const serviceId = () => props.overview.service.id;
  const metrics = useQuery(() => ({
    queryKey: ['metrics', serviceId(), range()],
    placeholderData: keepPreviousData,
    refetchInterval: renewedMs,
    queryFn: async ({ signal }) => {
      const query = periodOf(range(), Date.now());
      const params = { serviceId: serviceId() };
      return (await api.call('GET /api/services/:serviceId/metrics', { params, query, signal })).metrics;
    },
  }));
  return (
    <div class="stack">
      <div class="toolbar">
        <fieldset class="segmented">
          <legend class="visually-hidden">{metricsText.range}</legend>
          <For each={Object.keys(rangeMs) as Range[]}>
            {(one) => (
              <button type="button" aria-pressed={range() === one} onClick={() => setRange(one)}>
                {metricsText.ranges[one]}
              </button>
            )}
          </For>
        </fieldset>
        <Refreshed query={metrics} />
      </div>
      <Answer query={metrics} lines={4}>
        {(data) => <Charts metrics={data()} overview={props.overview} />}
      </Answer>
    </div>
  );
}

/** @returns the period in whole steps that the host stores */
function periodOf(range: Range, nowMs: number) {
  const unit = range === 'hour' ? 10 : 300;
  const wanted = rangeMs[range] / 1000 / pointsMax;
  const step = Math.max(unit, Math.ceil(wanted / unit) * unit);
  const to = new Date(nowMs).toISOString();
  return { from: new Date(nowMs - rangeMs[range]).toISOString(), to, step };
}

function Charts(props: { metrics: Measured; overview: Overview }) {
  const from = () => Date.parse(props.metrics.from);
  const find = (name: Series) => props.metrics.series.find((one) => one.name === name);
  /** A series that was never measured for this kind of service has no chart. */
  const isKnown = (name: Series) => find(name)?.maximum.some((value) => value !== null) === true;
  const shown = () => charts.filter(({ series }) => series.some(isKnown));
  const markers = (): Marker[] =>
    props.overview.deployments.flatMap((deployment) => {
      const at = Date.parse(deployment.finishedAt ?? '');
      const wentLive = deployment.status === 'running' || deployment.status === 'superseded';
      if (!wentLive || !(at >= from() && at <= Date.parse(props.metrics.to))) return [];
      return [{ at, title: titleOf(deployment), href: `/deployments/${deployment.id}` }];
    });
  const ageSeconds = () => props.metrics.ageSeconds ?? 0;
  return (
    <>
      <Show when={props.metrics.lastAt && ageSeconds() > oldSeconds && now()}>
        <p class="notice">{metricsText.old(ageText(ageSeconds() * 1000))}</p>
      </Show>
      <Show when={shown().length === 0}>
        <Empty title={metricsText.none} help={metricsText.noneHelp} />
      </Show>
      <div class="charts">
        <For each={shown()}>
          {({ name, series, limit }) => (
            <Chart
              title={metricsText.charts[name]}
              unit={find(series[0] as Series)?.unit ?? ''}
              lines={series.map((one) => ({
                label: metricsText.series[one],
                average: find(one)?.average ?? [],
                maximum: find(one)?.maximum ?? [],
              }))}
              limit={limit ? props.metrics.limits[limit] : null}
              from={from()}
              stepMs={props.metrics.stepSeconds * 1000}
              markers={markers()}
            />
          )}
        </For>
      </div>
    </>
  );
}
