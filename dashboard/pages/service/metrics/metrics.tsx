/** The resource use and requests of a service over time, with its deployments. */
import { useNavigate } from '@solidjs/router';
import type { ReplyOf } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import type { Overview } from '../../../api/queries.ts';
import { useQuery } from '../../../api/use-query.ts';
import type { Marker } from '../../../ui/chart/chart.tsx';
import { ChartPage, pointsOfChart, renewed, useRange } from '../../../ui/chart/chart-page.tsx';
import { periodOf } from '../../../ui/chart/chart-range.ts';
import { MeasuredCharts } from '../../../ui/chart/measured-charts.tsx';
import { titleOf } from '../deployment-facts.ts';

type Measured = ReplyOf<'GET /api/services/:serviceId/metrics'>['metrics'];

export function Metrics(props: { overview: Overview }) {
  const navigate = useNavigate();
  const [range, setRange] = useRange();
  const serviceId = () => props.overview.service.id;
  const metrics = useQuery(() => ({
    queryKey: ['metrics', serviceId(), range()],
    ...renewed(range()),
    queryFn: async ({ signal }) => {
      const query = periodOf(range(), Date.now(), pointsOfChart);
      const params = { serviceId: serviceId() };
      return (await api.call('GET /api/services/:serviceId/metrics', { params, query, signal })).metrics;
    },
  }));
  const markers = (data: Measured): Marker[] =>
    props.overview.deployments.flatMap((deployment) => {
      const at = Date.parse(deployment.finishedAt ?? '');
      const wentLive = deployment.status === 'running' || deployment.status === 'superseded';
      if (!wentLive || !(at >= Date.parse(data.from) && at <= Date.parse(data.to))) return [];
      return [{ at, title: titleOf(deployment), href: `/deployments/${deployment.id}` }];
    });
  return (
    <ChartPage range={range()} setRange={setRange} query={metrics} opens>
      {(data, pointer) => (
        <MeasuredCharts
          metrics={data()}
          pointer={pointer}
          markers={markers(data())}
          markersHref={`/services/${serviceId()}/deployments`}
          zoom={(from, to) => setRange({ from, to })}
          open={(at) => navigate(`/services/${serviceId()}/logs?around=${new Date(at).toISOString()}`)}
        />
      )}
    </ChartPage>
  );
}
