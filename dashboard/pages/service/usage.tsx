/** A small chart of processors and memory in the last hour. Nothing is shown if the host can't be asked. */
import { useQuery } from '@tanstack/solid-query';
import { For } from 'solid-js';
import { api } from '../../api/client.ts';
import { known } from '../../api/known.ts';
import { serviceText } from '../../text/service-text.ts';
import { highestOf, linePath, plotSize, roundEnd, valueText } from '../../ui/plot.ts';
import { Show } from '../../ui/show.ts';
import { metricsText } from './metrics-text.ts';

/** Length of a point: 60 of them make an hour. */
const stepSeconds = 60;

export function Usage(props: { serviceId: string }) {
  const metrics = useQuery(() => ({
    queryKey: ['metrics', props.serviceId, 'usage'],
    retry: false,
    queryFn: async ({ signal }) => {
      const query = { series: 'cpu,memory', step: stepSeconds };
      const params = { serviceId: props.serviceId };
      return (await api.call('GET /api/services/:serviceId/metrics', { params, query, signal })).metrics;
    },
  }));
  const measured = () =>
    known(metrics)?.series.filter(({ maximum }) => maximum.some((value) => value !== null)) ?? [];
  return (
    <Show when={measured().length > 0}>
      <section class="panel usage">
        <header>
          <h2>{metricsText.lastHour}</h2>
          <a href={`/services/${props.serviceId}/metrics`}>{serviceText.tabs.metrics}</a>
        </header>
        <For each={measured()}>
          {({ name, unit, average, maximum }) => (
            <div>
              <span>{metricsText.series[name]}</span>
              <svg
                aria-hidden="true"
                viewBox={`0 0 ${plotSize.width} ${plotSize.height}`}
                preserveAspectRatio="none"
              >
                <path d={linePath(average, roundEnd(highestOf(maximum) ?? 0, unit))} />
              </svg>
              <strong>
                {valueText(
                  average.findLast((value) => value !== null),
                  unit,
                )}
              </strong>
            </div>
          )}
        </For>
      </section>
    </Show>
  );
}
