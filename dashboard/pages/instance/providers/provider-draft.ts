/** The queries for identity providers. */

import type { ReplyOf } from '../../../../client/client.ts';
import { isOperator, operatorApi } from '../../../api/operator.ts';
import { queries } from '../../../api/query-client.ts';
import { useQuery } from '../../../api/use-query.ts';

export type Provider = ReplyOf<'GET /api/system/identity-providers'>['providers'][number];
export type Checks = ReplyOf<'POST /api/system/identity-providers/:identityProviderId/test'>['result'];

const queryKey = ['operator', 'identity-providers'];

export const useProviders = () =>
  useQuery(() => ({
    queryKey,
    enabled: isOperator(),
    queryFn: async ({ signal }) =>
      (await operatorApi.call('GET /api/system/identity-providers', { signal })).providers,
  }));

/** Renews the identity providers. */
export const renewProviders = (): Promise<void> => queries.invalidateQueries({ queryKey });
