/** Requests and errors of the last hour, of all services at once: for the small charts in lists. */

import { api } from './client.ts';
import { known } from './known.ts';
import { isSignedIn } from './session.ts';
import { useQuery } from './use-query.ts';

export interface Traffic {
  /** Requests a second in each of 60 minutes; null: unknown. */
  requests: readonly (number | null)[];
  /** Answers of 500 and above a second, likewise. */
  errors: readonly (number | null)[];
}

const againMs = 60_000;

/** @param projectId undefined: all services that the user sees @returns the traffic of a service; undefined while it is unknown, or if it had none */
export function useTraffic(projectId: () => string | undefined): (serviceId: string) => Traffic | undefined {
  const metrics = useQuery(() => ({
    queryKey: ['traffic', projectId() ?? ''],
    enabled: isSignedIn(),
    retry: false,
    staleTime: againMs,
    refetchInterval: againMs,
    queryFn: async ({ signal }) => {
      const of = projectId();
      const { services } = await api.call('GET /api/metrics', {
        query: of === undefined ? {} : { projectId: of },
        signal,
      });
      return new Map(services.map(({ serviceId, values }) => [serviceId, values]));
    },
  }));
  return (serviceId) => {
    const values = known(metrics)?.get(serviceId);
    return values === undefined
      ? undefined
      : { requests: values.requests ?? [], errors: values.errors ?? [] };
  };
}
