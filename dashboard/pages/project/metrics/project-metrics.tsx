/** Requests, failures, processors and memory of all services of a project, stacked by service. */

import { For } from 'solid-js';
import type { ReplyOf } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import type { Project } from '../../../api/queries.ts';
import { useQuery } from '../../../api/use-query.ts';
import { Chart, type Line } from '../../../ui/chart/chart.tsx';
import { ChartPage, renewed, useRange } from '../../../ui/chart/chart-page.tsx';
import { periodOf } from '../../../ui/chart/chart-range.ts';
import { Empty } from '../../../ui/empty.tsx';
import { Show } from '../../../ui/show.ts';
import { projectMetricsText } from './project-metrics-text.ts';

type Measured = ReplyOf<'GET /api/metrics'>;

/** An answer about many services has at most 180 points. */
const points = 120;
/** Services with a colour of their own; the sum of the others is one more. */
const servicesMax = 5;

const charts = [
  { series: 'requests', unit: 'requests/s' },
  { series: 'errors', unit: 'requests/s' },
  { series: 'cpu', unit: 'cores' },
  { series: 'memory', unit: 'bytes' },
] as const;

export function ProjectMetrics(props: { project: Project }) {
  const [range, setRange] = useRange();
  const metrics = useQuery(() => ({
    queryKey: ['metrics', props.project.id, range()],
    ...renewed(range()),
    queryFn: ({ signal }) => {
      const series = charts.map((one) => one.series).join(',');
      const query = { projectId: props.project.id, series, ...periodOf(range(), Date.now(), points) };
      return api.call('GET /api/metrics', { query, signal });
    },
  }));
  const shown = (data: Measured) =>
    charts
      .map((chart) => ({ ...chart, lines: linesOf(data, chart.series, props.project) }))
      .filter(({ lines }) => lines.length > 0);
  return (
    <ChartPage range={range()} setRange={setRange} query={metrics}>
      {(data, pointer) => (
        <>
          <For each={data().missing}>
            {({ hostName, reason, serviceIds }) => (
              <p class="notice">{projectMetricsText.missing(hostName, serviceIds.length, reason)}</p>
            )}
          </For>
          <Show when={shown(data()).length === 0}>
            <Empty title={projectMetricsText.none} help={projectMetricsText.noneHelp} />
          </Show>
          <div class="charts">
            <For each={shown(data())}>
              {({ series, unit, lines }) => (
                <Chart
                  title={projectMetricsText.charts[series]}
                  unit={unit}
                  lines={lines}
                  form="stack"
                  from={Date.parse(data().from)}
                  stepMs={data().stepSeconds * 1_000}
                  pointer={pointer}
                  zoom={(from, to) => setRange({ from, to })}
                />
              )}
            </For>
          </div>
        </>
      )}
    </ChartPage>
  );
}

type ShownSeries = (typeof charts)[number]['series'];

const sumOf = (points: readonly (number | null)[] = []) =>
  points.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** The services with the largest shares of what the charts show, the same in all charts, so that each keeps its colour. */
function leadersOf({ services }: Measured): string[] {
  const totals = charts.map(({ series }) =>
    services.reduce((sum, { values }) => sum + sumOf(values[series]), 0),
  );
  const shareOf = ({ values }: Measured['services'][number]) =>
    charts.reduce((sum, { series }, at) => sum + sumOf(values[series]) / (totals[at] || 1), 0);
  return services
    .toSorted((one, other) => shareOf(other) - shareOf(one))
    .slice(0, servicesMax)
    .map(({ serviceId }) => serviceId);
}

/** The leading services, and the sum of the others; none if there is nothing but zeros. */
function linesOf(data: Measured, series: ShownSeries, project: Project): Line[] {
  if (data.services.every(({ values }) => sumOf(values[series]) === 0)) return [];
  const leaders = leadersOf(data);
  const lines = leaders.map((id) => {
    const points = data.services.find(({ serviceId }) => serviceId === id)?.values[series] ?? [];
    const label = project.services.find((one) => one.id === id)?.name ?? id;
    return { label, average: points, maximum: points, href: `/services/${id}/metrics` };
  });
  const others = data.services.filter(({ serviceId }) => !leaders.includes(serviceId));
  if (others.length === 0) return lines;
  const sum = (others[0]?.values[series] ?? []).map((_, at) =>
    others.reduce((total, { values }) => total + (values[series]?.[at] ?? 0), 0),
  );
  return [...lines, { label: projectMetricsText.others(others.length), average: sum, maximum: sum }];
}
