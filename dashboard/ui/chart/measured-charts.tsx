/** The charts of a service or a host. Those with nothing but zeros are folded. */
import { For } from 'solid-js';
import type { ReplyOf } from '../../../client/client.ts';
import { ageText, now } from '../age.tsx';
import { Empty } from '../empty.tsx';
import { Show } from '../show.ts';
import { Chart, type ChartProps, type Marker } from './chart.tsx';
import { chartText } from './chart-text.ts';
import { metricsText } from './metrics-text.ts';
import type { ChartPointer } from './pointer.ts';

type Measured = ReplyOf<'GET /api/services/:serviceId/metrics'>['metrics'];
type Series = Measured['series'][number]['name'];

interface Definition {
  name: keyof typeof metricsText.charts;
  series: readonly Series[];
  form?: NonNullable<ChartProps['form']>;
  limit?: 'cpu' | 'memory' | 'disk';
}

const byStatus = ['status2xx', 'status3xx', 'status4xx', 'errors'] as const;
const charts: readonly Definition[] = [
  { name: 'requests', series: byStatus, form: 'stack' },
  { name: 'latency', series: ['latencyP50', 'latencyP95', 'latencyP99'], form: 'log' },
  { name: 'cpu', series: ['cpu'], limit: 'cpu' },
  { name: 'memory', series: ['memory'], limit: 'memory' },
  { name: 'network', series: ['networkIn', 'networkOut'] },
  { name: 'connections', series: ['connections'] },
  { name: 'disk', series: ['diskRead', 'diskWrite'] },
  { name: 'diskUsed', series: ['diskUsed'], limit: 'disk' },
  { name: 'trouble', series: ['restarts', 'outOfMemory'] },
];
const tones: Partial<Record<Series, string>> = {
  status2xx: 'tone-2xx',
  status3xx: 'tone-3xx',
  status4xx: 'tone-4xx',
  errors: 'tone-5xx',
};
/** Above this age the newest value is marked as old. */
const oldSeconds = 60;

interface MeasuredProps {
  metrics: Measured;
  pointer: ChartPointer;
  markers?: readonly Marker[];
  markersHref?: string;
  zoom(from: number, to: number): void;
  open?(at: number): void;
}

export function MeasuredCharts(props: MeasuredProps) {
  const find = (name: Series) => props.metrics.series.find((one) => one.name === name);
  const has = (name: Series, test: (value: number) => boolean) =>
    find(name)?.maximum.some((value) => value !== null && test(value)) === true;
  /** A series that was never measured for this kind of service has no chart. */
  const known = () => charts.filter(({ series }) => series.some((name) => has(name, () => true)));
  const isIdle = ({ series }: Definition) => !series.some((name) => has(name, (value) => value > 0));
  const shown = () => known().filter((one) => !isIdle(one));
  const idle = () => known().filter(isIdle);
  const ageSeconds = () => props.metrics.ageSeconds ?? 0;
  const limitOf = ({ limit }: Definition) => {
    if (!limit) return {};
    const own = props.metrics.limits[limit];
    if (own !== null) return { limit: own };
    return limit === 'disk' ? {} : { limit: props.metrics.host[limit], limitLabel: metricsText.ofHost };
  };
  const one = (definition: Definition) => (
    <Chart
      title={metricsText.charts[definition.name]}
      unit={find(definition.series[0] as Series)?.unit ?? ''}
      lines={definition.series.flatMap((name) => {
        const series = find(name);
        if (!series || (definition.form === 'stack' && !has(name, (value) => value > 0))) return [];
        return [
          { label: metricsText.series[name], ...series, ...(tones[name] ? { tone: tones[name] } : {}) },
        ];
      })}
      form={definition.form ?? 'lines'}
      {...limitOf(definition)}
      from={Date.parse(props.metrics.from)}
      stepMs={props.metrics.stepSeconds * 1_000}
      markers={props.markers ?? []}
      markersHref={props.markersHref ?? ''}
      pointer={props.pointer}
      zoom={props.zoom}
      open={props.open}
    />
  );
  return (
    <>
      <Show when={props.metrics.lastAt && ageSeconds() > oldSeconds && now()}>
        <p class="notice">{metricsText.old(ageText(ageSeconds() * 1_000))}</p>
      </Show>
      <Show when={known().length === 0}>
        <Empty title={metricsText.none} help={metricsText.noneHelp} />
      </Show>
      <div class="charts">
        <For each={shown()}>{one}</For>
      </div>
      <Show when={idle().length > 0}>
        <details class="idle-charts">
          <summary>
            {chartText.idle(
              idle()
                .map(({ name }) => metricsText.charts[name])
                .join(', '),
            )}
          </summary>
          <div class="charts">
            <For each={idle()}>{one}</For>
          </div>
        </details>
      </Show>
    </>
  );
}
