/** The page of alerts: acknowledge or silence them. */

import { createSignal } from 'solid-js';
import type { ReplyOf } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import { mayIn } from '../../../api/may.ts';
import { useKey } from '../../../api/queries.ts';
import { queries } from '../../../api/query-client.ts';
import { useInfiniteQuery } from '../../../api/use-query.ts';
import { useTitle } from '../../../shell/title.ts';
import { alertsText } from '../../../text/alerts-text.ts';
import { attempt } from '../../../ui/toasts.tsx';
import { type Alert, type AlertChange, AlertList, type AlertState } from './alert-list.tsx';

export function Alerts() {
  useTitle(() => alertsText.title);
  const [state, setState] = createSignal<AlertState>('open');
  const key = useKey();
  const alerts = useInfiniteQuery(() => ({
    queryKey: ['alerts', state()],
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: ReplyOf<'GET /api/alerts'>) => last.nextCursor,
    queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: string | undefined }) =>
      api.call('GET /api/alerts', {
        query: { state: state(), ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      }),
  }));
  const change = ({ id }: Alert, body: AlertChange) =>
    attempt(async () => {
      await api.call('PATCH /api/alerts/:alertId', { params: { alertId: id }, body });
      await queries.invalidateQueries({ queryKey: ['alerts'] });
      await queries.invalidateQueries({ queryKey: ['attention'] });
    });
  return (
    <AlertList
      title={alertsText.title}
      noneHelp={`${alertsText.noneHelp} ${alertsText.rulesHelp}`}
      query={alerts}
      state={state()}
      onState={setState}
      mayChange={({ projectId }) => mayIn(key.data, projectId, 'write')}
      change={change}
      addressOf={({ serviceId }) => (serviceId === null ? undefined : `/services/${serviceId}`)}
    />
  );
}
