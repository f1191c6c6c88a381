import { api } from '../../../api/client.ts';
import { queries } from '../../../api/query-client.ts';
import { useQuery } from '../../../api/use-query.ts';

export const useTrustPolicies = (projectId: () => string) =>
  useQuery(() => ({
    queryKey: ['trust-policies', projectId()],
    queryFn: async ({ signal }) =>
      (
        await api.call('GET /api/projects/:projectId/trust-policies', {
          params: { projectId: projectId() },
          signal,
        })
      ).trustPolicies,
  }));

export const renewTrustPolicies = (): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['trust-policies'] });
