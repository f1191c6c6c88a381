/** The capacity and use of a host: the newest values, and the last hour as a line. */

import { For } from 'solid-js';
import { sentenceOf } from '../../api/client.ts';
import { operatorApi } from '../../api/operator.ts';
import { useQuery } from '../../api/use-query.ts';
import { hostsText } from '../../text/operator-text.ts';
import { ageText } from '../../ui/age.tsx';
import { highestOf, linePath, plotSize, roundEnd, valueText } from '../../ui/plot.ts';
import { Show } from '../../ui/show.ts';
import { sizeText } from '../../ui/size.ts';
import type { Host } from './instance-queries.ts';

/** Length of a point: 60 of them make an hour. */
const stepSeconds = 60;
const renewedMs = 30_000;
const series = ['cpu', 'memory', 'diskUsed'] as const;

export function HostCapacity(props: { host: Host }) {
  const metrics = useQuery(() => ({
    queryKey: ['operator', 'host-metrics', props.host.id],
    enabled: props.host.connected,
    // Each refused read is an entry of the audit log, so a refusal stops the polling.
    refetchInterval: ({ state }: { state: { status: string } }) =>
      state.status === 'error' ? false : renewedMs,
    retry: false,
    queryFn: async ({ signal }) => {
      const query = { series: series.join(','), step: stepSeconds };
      const params = { runnerId: props.host.id };
      return (await operatorApi.call('GET /api/system/runners/:runnerId/metrics', { params, query, signal }))
        .metrics;
    },
  }));
  const capacity = () => ({
    cpu: props.host.facts.cpus,
    memory: props.host.facts.memoryMb * 1024 * 1024,
    diskUsed: metrics.data?.limits.disk ?? null,
  });
  const found = (name: (typeof series)[number]) => metrics.data?.series.find((one) => one.name === name);
  const labels = { cpu: hostsText.cpu, memory: hostsText.memory, diskUsed: hostsText.disk };
  return (
    <section class="usage" aria-label={hostsText.capacity}>
      <For each={series}>
        {(name) => {
          const line = () => found(name);
          const all = () => capacity()[name];
          const value = () => line()?.average.findLast((one) => one !== null);
          return (
            <div>
              <span>{labels[name]}</span>
              <svg
                aria-hidden="true"
                viewBox={`0 0 ${plotSize.width} ${plotSize.height}`}
                preserveAspectRatio="none"
              >
                <Show when={line()}>
                  {(shown) => (
                    <path
                      d={linePath(
                        shown().average,
                        all() ?? roundEnd(highestOf(shown().maximum) ?? 0, shown().unit),
                      )}
                    />
                  )}
                </Show>
              </svg>
              <strong>{usedText(name, value(), all())}</strong>
            </div>
          );
        }}
      </For>
      <p class="quiet-text">{measuredText(props.host.connected, metrics.error, metrics.data?.ageSeconds)}</p>
    </section>
  );
}

function usedText(name: (typeof series)[number], value: number | null | undefined, all: number | null) {
  const unit = name === 'cpu' ? '' : 'bytes';
  const whole = all === null ? undefined : name === 'cpu' ? hostsText.cores(all) : sizeText(all);
  if (value === null || value === undefined) return whole ?? '–';
  return whole ? hostsText.of(valueText(value, unit), whole) : valueText(value, unit);
}

function measuredText(
  connected: boolean,
  error: Error | null,
  ageSeconds: number | null | undefined,
): string {
  if (!connected) return hostsText.notMeasured;
  if (error) return sentenceOf(error);
  if (ageSeconds === null || ageSeconds === undefined) return hostsText.noMetrics;
  return hostsText.measured(ageText(ageSeconds * 1_000));
}
