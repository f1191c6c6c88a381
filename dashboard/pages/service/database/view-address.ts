/** The current view of a database, stored in the query of the page's address: so a link shows the same view, and Back returns to it. */
import { useSearchParams } from '@solidjs/router';
import { conditions, type Filter, type Sort } from './table-types.ts';

export const pageSizes = [50, 100, 250] as const;

export interface Shown {
  table: string | undefined;
  offset: number;
  limit: number;
  sort: Sort | undefined;
  filters: readonly Filter[];
}

/** Values of an address are checked, because another person may have written it. */
export function useShown() {
  const [search, setSearch] = useSearchParams<Record<string, string>>();
  const shown = (): Shown => ({
    table: search.table || undefined,
    offset: wholeNumber(search.offset) ?? 0,
    limit: pageSizes.find((size) => size === wholeNumber(search.limit)) ?? pageSizes[0],
    sort: sortOf(search.sort),
    filters: filtersOf(search.filters),
  });
  const show = (change: Partial<Shown>) => {
    const next = { ...shown(), offset: 0, ...change };
    setSearch({
      table: next.table,
      offset: next.offset || undefined,
      limit: next.limit === pageSizes[0] ? undefined : next.limit,
      sort: next.sort && `${next.sort.descending ? '-' : ''}${next.sort.column}`,
      filters: next.filters.length > 0 ? JSON.stringify(next.filters) : undefined,
    });
  };
  return { shown, show };
}

const wholeNumber = (text: string | undefined) => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined);

function sortOf(text: string | undefined): Sort | undefined {
  if (!text) return undefined;
  const descending = text.startsWith('-');
  return { column: descending ? text.slice(1) : text, descending };
}

function filtersOf(text: string | undefined): Filter[] {
  try {
    const parsed: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(parsed) ? parsed.filter(isFilter) : [];
  } catch {
    return [];
  }
}

const isFilter = (one: Partial<Filter> | null): one is Filter =>
  typeof one?.column === 'string' &&
  typeof one.value === 'string' &&
  conditions.some((known) => known === one.condition);
