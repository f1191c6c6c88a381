/** The output of a service, across deployments and restarts. */
import type { Overview } from '../../api/queries.ts';
import { LogExplorer } from '../../log/explorer/log-explorer.tsx';
import { logText } from '../../text/deployment-text.ts';

export function ServiceLogs(props: { overview: Overview }) {
  const service = () => props.overview.service;
  const nothingRuns = () => {
    if (service().status === 'stopped') return logText.stopped;
    return props.overview.deployments.some(({ status }) => status === 'running') ? '' : logText.notLive;
  };
  return (
    <LogExplorer
      of={{ serviceId: service().id }}
      services={[service()]}
      name={service().slug}
      emptyText={nothingRuns()}
    />
  );
}
