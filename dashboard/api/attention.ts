/** What is out of order now, for the first screen, the page of a service, and the number in the navigation. */

import type { ReplyOf } from '../../client/client.ts';
import { api } from './client.ts';
import { isSignedIn } from './session.ts';
import { useQuery } from './use-query.ts';

export type AttentionReply = ReplyOf<'GET /api/attention'>;
export type AttentionItem = AttentionReply['attention'][number];

/** The stream of changes tells of nearly all; channels and long waits are in none. While a host has just come or gone, its services are known soon. */
const againMs = { calm: 5 * 60_000, settling: 5_000 };

/** @param serviceId undefined: everything that the user sees */
export const useAttention = (serviceId: () => string | undefined = () => undefined) =>
  useQuery(() => ({
    queryKey: ['attention', serviceId() ?? ''],
    enabled: isSignedIn(),
    refetchInterval: ({ state }: { state: { data: AttentionReply | undefined } }) =>
      state.data?.settling ? againMs.settling : againMs.calm,
    queryFn: ({ signal }) => {
      const of = serviceId();
      return api.call('GET /api/attention', { query: of === undefined ? {} : { serviceId: of }, signal });
    },
  }));
