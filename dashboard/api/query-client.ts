/** The cache of answers. */
import { QueryClient } from '@tanstack/solid-query';
import { LongshoreError } from '../../client/client.ts';

/** How long an answer counts as fresh. An older one is shown at once and requested again in the background. */
const freshMs = 5_000;
const retriesMax = 2;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: freshMs,
      refetchOnWindowFocus: true,
      refetchOnReconnect: true,
      // A refusal stays the same, but a missing answer may arrive later.
      retry: (count, error) => count < retriesMax && !(error instanceof LongshoreError && error.status < 500),
      networkMode: 'always',
    },
  },
});
