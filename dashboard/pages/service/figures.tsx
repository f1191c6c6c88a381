/** What a service did in the last hour, in a row of figures: requests, errors, latency, memory and processors. */

import { For } from 'solid-js';
import type { ReplyOf } from '../../../client/client.ts';
import { api } from '../../api/client.ts';
import { known } from '../../api/known.ts';
import type { Service } from '../../api/queries.ts';
import { useQuery } from '../../api/use-query.ts';
import { highestOf, linePath, plotSize, roundEnd, valueText } from '../../ui/plot.ts';
import { Show } from '../../ui/show.ts';
import { figuresText } from './figures-text.ts';

type Series = ReplyOf<'GET /api/services/:serviceId/metrics'>['metrics']['series'][number];

/** Length of a point: 60 of them make an hour. */
const stepSeconds = 60;
const ofTraffic = ['requests', 'errors', 'latencyP99'];

interface Figure {
  name: string;
  value: string;
  /** What the value is measured by, such as a limit. */
  of?: string;
  isBad?: boolean;
  series: Series;
}

export function Figures(props: { service: Service }) {
  const isServing = () => props.service.primaryUrl !== '';
  const metrics = useQuery(() => ({
    queryKey: ['metrics', props.service.id, 'figures'],
    retry: false,
    queryFn: async ({ signal }) => {
      const series = [...(isServing() ? ofTraffic : []), 'memory', 'cpu'].join(',');
      const params = { serviceId: props.service.id };
      const query = { series, step: stepSeconds };
      return (await api.call('GET /api/services/:serviceId/metrics', { params, query, signal })).metrics;
    },
  }));
  const figures = () => figuresOf(known(metrics)?.series ?? [], props.service);
  const isKnown = () => metrics.isPending || figures().length > 0;
  return (
    <Show when={isKnown()} fallback={<p class="quiet-text figures-none">{figuresText.nothing}</p>}>
      <a class="figures" href={`/services/${props.service.id}/metrics`}>
        <For each={figures()}>
          {({ name, value, of, isBad = false, series }) => (
            <span class="figure" classList={{ 'tone-bad': isBad }}>
              <span>{name}</span>
              <strong>
                {value} <Show when={of}>{(text) => <small>{text()}</small>}</Show>
              </strong>
              <svg
                aria-hidden="true"
                viewBox={`0 0 ${plotSize.width} ${plotSize.height}`}
                preserveAspectRatio="none"
              >
                <path d={linePath(series.average, roundEnd(highestOf(series.maximum) ?? 0, series.unit))} />
              </svg>
            </span>
          )}
        </For>
      </a>
    </Show>
  );
}

const lastOf = ({ average }: Series) => average.findLast((value) => value !== null) ?? null;
const sumOf = (series: Series | undefined) =>
  (series?.average ?? []).reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** The figures that were measured, in the order of the page. */
function figuresOf(all: readonly Series[], service: Service): Figure[] {
  const find = (name: Series['name']) =>
    all.find((one) => one.name === name && highestOf(one.maximum) !== null);
  const [requests, errors, latency, memory, cpu] = [
    find('requests'),
    find('errors'),
    find('latencyP99'),
    find('memory'),
    find('cpu'),
  ];
  const failed = sumOf(requests) === 0 ? 0 : Math.min(1, sumOf(errors) / sumOf(requests));
  const { memoryLimitMb, cpuLimit } = service;
  return [
    ...(requests
      ? [{ name: figuresText.requests, value: valueText(lastOf(requests), requests.unit), series: requests }]
      : []),
    ...(errors
      ? [
          {
            name: figuresText.errors,
            value: percentText(failed),
            of: figuresText.hour,
            isBad: failed > 0,
            series: errors,
          },
        ]
      : []),
    ...(latency
      ? [{ name: figuresText.latency, value: valueText(lastOf(latency), latency.unit), series: latency }]
      : []),
    ...(memory
      ? [
          {
            name: figuresText.memory,
            value: valueText(lastOf(memory), memory.unit),
            ...(memoryLimitMb === null
              ? {}
              : { of: figuresText.of(valueText(memoryLimitMb * 1024 ** 2, 'bytes')) }),
            series: memory,
          },
        ]
      : []),
    ...(cpu
      ? [
          {
            name: figuresText.cpu,
            value: cpuText(lastOf(cpu) ?? 0, cpuLimit),
            ...(cpuLimit === null ? {} : { of: figuresText.ofLimit }),
            series: cpu,
          },
        ]
      : []),
  ];
}

/** @param share from 0 to 1 */
function percentText(share: number): string {
  if (share === 0) return '0 %';
  return share < 0.001 ? '<0.1 %' : `${(share * 100).toFixed(1)} %`;
}

/** In % of the limit, else in cores, with two digits at most. */
function cpuText(cores: number, limit: number | null): string {
  if (limit !== null) return percentText(cores / limit);
  return cores > 0 && cores < 0.01 ? figuresText.fewCores : valueText(Number(cores.toFixed(2)), 'cores');
}
