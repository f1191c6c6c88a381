/** All alerts of the instance, including those about hosts and quotas, and the rules that raise them. */

import { createSignal } from 'solid-js';
import type { ReplyOf } from '../../../../client/client.ts';
import { isOperator, operatorApi } from '../../../api/operator.ts';
import { useInfiniteQuery } from '../../../api/use-query.ts';
import { alertsText, hostAlertsText } from '../../../text/alerts-text.ts';
import { attempt } from '../../../ui/toasts.tsx';
import { type Alert, type AlertChange, AlertList, type AlertState } from '../../home/alerts/alert-list.tsx';
import { renew, useHosts } from '../instance-queries.ts';
import { HostRules } from './host-rules.tsx';

/** There is no stream for alerts, so a visible page polls this often. */
const renewedMs = 15_000;

export function HostAlerts() {
  const [state, setState] = createSignal<AlertState>('open');
  const hosts = useHosts();
  const alerts = useInfiniteQuery(() => ({
    queryKey: ['operator', 'alerts', state()],
    enabled: isOperator(),
    refetchInterval: renewedMs,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: ReplyOf<'GET /api/system/alerts'>) => last.nextCursor,
    queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: string | undefined }) =>
      operatorApi.call('GET /api/system/alerts', {
        query: { state: state(), ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      }),
  }));
  const change = ({ id }: Alert, body: AlertChange) =>
    attempt(async () => {
      await operatorApi.call('PATCH /api/system/alerts/:alertId', { params: { alertId: id }, body });
      await renew('alerts');
    });
  const nameOf = (runnerId: string | null) => hosts.data?.find(({ id }) => id === runnerId)?.name;
  return (
    <div class="stack">
      <AlertList
        title={hostAlertsText.title}
        help={hostAlertsText.help}
        noneHelp={alertsText.noneHelp}
        query={alerts}
        state={state()}
        onState={setState}
        mayChange={() => true}
        change={change}
        // The text of an alert about a host already contains the host's name.
        hostOf={({ serviceId, runnerId }) => (serviceId === null ? undefined : nameOf(runnerId))}
      />
      <HostRules hosts={hosts.data ?? []} />
    </div>
  );
}
