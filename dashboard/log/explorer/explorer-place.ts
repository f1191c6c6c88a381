/** What an explorer shows, as it stands in the address: a query, and a time. */
import { useSearchParams } from '@solidjs/router';
import { createMemo } from 'solid-js';

export const spans = ['15m', '1h', '24h', '7d'] as const;
export type Span = (typeof spans)[number];
const minuteMs = 60_000;
const spanMs: Record<Span, number> = {
  '15m': 15 * minuteMs,
  '1h': 60 * minuteMs,
  '24h': 24 * 60 * minuteMs,
  '7d': 7 * 24 * 60 * minuteMs,
};
/** How much time before and after «around» belongs to it. */
const aroundMs = 15 * minuteMs;

export type Time =
  | { kind: 'live' }
  | { kind: 'span'; span: Span }
  | { kind: 'own'; since: number; until: number }
  | { kind: 'around'; at: number };

type Parameters = {
  query: string;
  span: string;
  from: string;
  to: string;
  around: string;
  service: string;
  line: string;
};

export interface Place {
  query(): string;
  time(): Time;
  /** Id of the opened line. */
  line(): string | undefined;
  setQuery(query: string): void;
  setTime(time: Time): void;
  setLine(line: string | undefined, at?: string): void;
}

/** @param isProject `service=<name>` of a link becomes a term of the query */
export function usePlace(isProject: boolean): Place {
  const [address, setAddress] = useSearchParams<Partial<Parameters>>();
  const one = (name: keyof Parameters) => [address[name] ?? ''].flat()[0] ?? '';
  const query = createMemo(() => {
    const service = isProject ? one('service') : '';
    return [one('query'), service && `service:${service}`].filter(Boolean).join(' ');
  });
  const time = createMemo(
    (): Time => {
      const [from, to, around] = [one('from'), one('to'), one('around')].map(Date.parse) as [
        number,
        number,
        number,
      ];
      if (!Number.isNaN(around)) return { kind: 'around', at: around };
      if (from < to) return { kind: 'own', since: from, until: to };
      const span = spans.find((known) => known === one('span'));
      return span ? { kind: 'span', span } : { kind: 'live' };
    },
    undefined,
    { equals: (now, before) => JSON.stringify(now) === JSON.stringify(before) },
  );
  const iso = (at: number) => new Date(at).toISOString();
  return {
    query,
    time,
    line: () => one('line') || undefined,
    setQuery: (text) =>
      setAddress({ query: text || undefined, service: undefined, line: undefined }, { replace: true }),
    setTime: (to) =>
      setAddress({
        span: to.kind === 'span' ? to.span : undefined,
        from: to.kind === 'own' ? iso(to.since) : undefined,
        to: to.kind === 'own' ? iso(to.until) : undefined,
        around: to.kind === 'around' ? iso(to.at) : undefined,
        line: undefined,
      }),
    setLine: (line) => setAddress({ line }, { replace: true, scroll: false }),
  };
}

/** The range that is searched. @returns undefined for live lines */
export function rangeOf(time: Time, now: number): { since: number; until: number } | undefined {
  if (time.kind === 'live') return undefined;
  if (time.kind === 'span') return { since: now - spanMs[time.span], until: now };
  if (time.kind === 'own') return { since: time.since, until: time.until };
  return { since: time.at - aroundMs, until: time.at + aroundMs };
}
