/** The cache of answers. */
import { QueryClient } from '@tanstack/solid-query';
import { LongshoreError } from '../../client/client.ts';

/** How long an answer counts as new: a return to a page shows it at once and asks again behind it. */
const freshMs = 5_000;
const retriesMax = 2;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: freshMs,
      refetchOnWindowFocus: true,
      refetchOnReconnect: true,
      // Refusals stay what they are; silence may end.
      retry: (count, error) => count < retriesMax && !(error instanceof LongshoreError && error.status < 500),
      networkMode: 'always',
    },
  },
});
