/**
 * TanStack's queries, whose data suspends the page only while it comes for the first time. The library reads data through a resource of Solid, and
 * where that has once been waited for without data coming (the cache had it already, or the query is not enabled), the resource suspends the part
 * again at each renewal: for a moment everything around it leaves the document, and what had the focus loses it.
 */
import {
  useInfiniteQuery as useTanStackInfiniteQuery,
  useQuery as useTanStackQuery,
} from '@tanstack/solid-query';

export const useQuery = ((...args: Parameters<typeof useTanStackQuery>) =>
  keepShown(useTanStackQuery(...args))) as typeof useTanStackQuery;

export const useInfiniteQuery = ((...args: Parameters<typeof useTanStackInfiniteQuery>) =>
  keepShown(useTanStackInfiniteQuery(...args))) as typeof useTanStackInfiniteQuery;

function keepShown<Query extends { data: unknown; isLoading: boolean }>(query: Query): Query {
  return new Proxy(query, {
    get: (target, name) =>
      name === 'data' && !target.isLoading ? stored(target) : Reflect.get(target, name),
  });
}

/** The data in the store behind a query, which is followed like any other, but never waited for. */
const stored = (query: object): unknown => Object.getOwnPropertyDescriptor(query, 'data')?.get?.();
