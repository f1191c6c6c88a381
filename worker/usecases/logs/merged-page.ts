/** Merges the lines that several hosts have found into one page, in one order. */
import type { FoundLine, LogSearchAnswer, searchEnds } from '../../../protocol/logs/kept-logs.ts';
import type { LogPositions } from '../../domain/logs/log-cursor.ts';

export interface HostPage {
  answer: Extract<LogSearchAnswer, { lines: unknown }>;
  /** The name of this host's log in positions: one service can have logs on several hosts. */
  placeOf(logId: string): string;
}

interface MergedPage {
  lines: FoundLine[];
  next: LogPositions;
  stopped: (typeof searchEnds)[number];
  scannedBytes: number;
  scannedLines: number;
  newest: LogPositions;
  /** Lines that match and are not on this page, as far as the hosts have counted them. */
  rest: { lines: number; isComplete: boolean };
  /** The longest time that a host has searched. */
  tookMs: number;
}

type Order = 'newest' | 'oldest';

export function mergedPage(
  pages: readonly HostPage[],
  { order, limit }: { order: Order; limit: number },
): MergedPage {
  const sign = order === 'newest' ? -1 : 1;
  const found = pages
    .flatMap((page) => page.answer.lines.map((line) => ({ line, page, place: page.placeOf(line.serviceId) })))
    .sort((one, other) => sign * (one.line.id - other.line.id));
  const held = found.findIndex(({ line, page }) =>
    pages.some((other) => other !== page && mayComeBefore(other, line, sign)),
  );
  const taken = Math.min(limit, held < 0 ? found.length : held);
  const places = pages.flatMap(({ answer, placeOf }) =>
    answer.services.map(({ serviceId, from, last }) => ({ place: placeOf(serviceId), from, last })),
  );
  const next = new Map(places.map(({ place, from }) => [place, from]));
  // Lines that are not on this page are on the next one.
  for (const { place, line } of found.slice(taken).reverse()) next.set(place, line.id - sign);
  const newest = new Map(places.map(({ place, last }) => [place, last]));
  for (const { place, line } of found) newest.set(place, Math.max(line.id, newest.get(place) ?? 0));
  const ends = pages.map(({ answer }) => answer.stopped).filter((stopped) => stopped !== 'end');
  return {
    ...{ lines: found.slice(0, taken).map(({ line }) => line), next, newest },
    stopped: found.length > limit ? 'lines' : (ends[0] ?? 'end'),
    scannedBytes: sumOf(pages, ({ scannedBytes }) => scannedBytes),
    scannedLines: sumOf(pages, ({ scannedLines = 0 }) => scannedLines),
    rest: {
      lines: found.length - taken + sumOf(pages, ({ rest }) => rest?.lines ?? 0),
      isComplete: pages.every(({ answer }) => answer.stopped === 'end' || answer.rest?.isComplete),
    },
    tookMs: Math.max(0, ...pages.map(({ answer }) => answer.tookMs ?? 0)),
  };
}

type Answered = HostPage['answer'];

export const sumOf = (pages: readonly HostPage[], of: (answer: Answered) => number): number =>
  pages.reduce((sum, { answer }) => sum + of(answer), 0);

/** Whether a host that has not searched everything may find a line that belongs before this one. */
function mayComeBefore({ answer }: HostPage, line: FoundLine, sign: number): boolean {
  if (answer.stopped === 'end') return false;
  // The host's lines are in order, so further ones are after the last, and after the places that it has reached.
  const notBegun = sign < 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  const reached = answer.services.map(({ from }) => from ?? notBegun);
  const first = sign < 0 ? Math.max(...reached) : Math.min(...reached);
  const last = answer.lines.at(-1)?.id ?? notBegun;
  const edge = sign < 0 ? Math.min(first, last) : Math.max(first, last);
  return sign * (line.id - edge) > 0;
}
