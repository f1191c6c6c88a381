/** The upgrades of a database as the API answers them. */

import type { ReplyOf } from '../../../../../client/client.ts';
import { api } from '../../../../api/client.ts';
import { renewService } from '../../../../api/queries.ts';
import { queries } from '../../../../api/query-client.ts';
import { useQuery } from '../../../../api/use-query.ts';

export type Upgrade = ReplyOf<'GET /api/services/:serviceId/database/upgrades'>['upgrades'][number];

/** Older upgrades can be read with the API. */
const shownMax = 5;

export const useUpgrades = (serviceId: () => string) =>
  useQuery(() => ({
    queryKey: ['upgrades', serviceId()],
    queryFn: ({ signal }) =>
      api.call('GET /api/services/:serviceId/database/upgrades', {
        params: { serviceId: serviceId() },
        query: { limit: shownMax },
        signal,
      }),
  }));

/** An upgrade starts with a backup, and changes the image of the service. */
export async function renewUpgrades(serviceId: string): Promise<void> {
  await Promise.all([
    ...['upgrades', 'backups'].map((kind) => queries.invalidateQueries({ queryKey: [kind, serviceId] })),
    renewService(serviceId),
  ]);
}
