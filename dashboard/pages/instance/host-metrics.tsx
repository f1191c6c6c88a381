/** The charts of a host, in its card. */

import { operatorApi } from '../../api/operator.ts';
import { useQuery } from '../../api/use-query.ts';
import { ChartPage, pointsOfChart, renewed, useRange } from '../../ui/chart/chart-page.tsx';
import { periodOf } from '../../ui/chart/chart-range.ts';
import { MeasuredCharts } from '../../ui/chart/measured-charts.tsx';

export function HostMetrics(props: { runnerId: string }) {
  const [range, setRange] = useRange();
  const metrics = useQuery(() => {
    const { placeholderData, refetchInterval } = renewed(range());
    return {
      queryKey: ['operator', 'host-metrics', props.runnerId, range()],
      placeholderData,
      retry: false,
      // Each refused read is an entry of the audit log, so a refusal stops the polling.
      refetchInterval: ({ state }: { state: { status: string } }) =>
        state.status === 'error' ? false : refetchInterval,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const query = periodOf(range(), Date.now(), pointsOfChart);
        const params = { runnerId: props.runnerId };
        return (
          await operatorApi.call('GET /api/system/runners/:runnerId/metrics', { params, query, signal })
        ).metrics;
      },
    };
  });
  return (
    <ChartPage range={range()} setRange={setRange} query={metrics}>
      {(data, pointer) => (
        <MeasuredCharts metrics={data()} pointer={pointer} zoom={(from, to) => setRange({ from, to })} />
      )}
    </ChartPage>
  );
}
