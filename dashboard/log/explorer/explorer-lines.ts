/** Loads the lines of an explorer: live, of a range, or around a time. */
import { createEffect, createSignal, on, onCleanup } from 'solid-js';
import { api, sentenceOf } from '../../api/client.ts';
import { type FollowState, followKept, type KeptLine, type LogsOf } from '../../api/follow-kept.ts';
import { logSearchText } from '../../text/log-search-text.ts';
import { type Place, rangeOf, type Time } from './explorer-place.ts';
import { gapBefore, withLines } from './explorer-rows.ts';

/** Limits the memory of a page that is open for days. */
const liveLinesMax = 10_000;
const pageLines = 500;
/** A search goes on by itself while it has found less than a page: a rare word may be far back. */
const pagesMax = 25;

export interface Searched {
  lines: number;
  /** Everything newer was searched; null: all of the range. */
  reached: string | null;
  hosts: readonly { hostName: string; reason?: string }[];
}

export interface ExplorerLines {
  lines(): readonly KeptLine[];
  isBusy(): boolean;
  /** Whether the stream is open. */
  isOpen(): boolean;
  trouble(): string;
  state(): FollowState | undefined;
  /** Lines that the stream has left out so far. */
  skipped(): number;
  searched(): Searched | undefined;
  /** Loads more lines; undefined: there are none on this side. */
  older(): (() => void) | undefined;
  newer(): (() => void) | undefined;
}

interface Asked {
  of: LogsOf;
  services: string | undefined;
  place: Place;
  isAllowed: boolean;
}

export function createExplorerLines(asked: () => Asked): ExplorerLines {
  const [lines, setLines] = createSignal<readonly KeptLine[]>([]);
  const [isBusy, setIsBusy] = createSignal(false);
  const [isOpen, setIsOpen] = createSignal(false);
  const [trouble, setTrouble] = createSignal('');
  const [state, setState] = createSignal<FollowState>();
  const [skipped, setSkipped] = createSignal(0);
  const [searched, setSearched] = createSignal<Searched>();
  const [cursors, setCursors] = createSignal<{ newest?: string; oldest?: string }>({});
  let stop = new AbortController();
  const filters = () => {
    const { services, place } = asked();
    const query = place.query().trim();
    return { ...(query === '' ? {} : { query }), ...(services === undefined ? {} : { services }) };
  };

  async function search(
    order: 'newest' | 'oldest',
    range: { since?: number; until?: number },
    from?: string,
  ) {
    const { signal } = stop;
    setIsBusy(true);
    try {
      let cursor = from;
      let found = 0;
      for (let page = 0; page < pagesMax; page++) {
        const query = {
          ...{ ...filters(), order, limit: pageLines },
          ...(range.since === undefined ? {} : { since: new Date(range.since).toISOString() }),
          ...(range.until === undefined ? {} : { until: new Date(range.until).toISOString() }),
          ...(cursor === undefined ? {} : { cursor }),
        };
        const { of } = asked();
        const answer =
          'serviceId' in of
            ? await api.call('GET /api/services/:serviceId/runtime-logs', { params: of, query, signal })
            : await api.call('GET /api/projects/:projectId/runtime-logs', { params: of, query, signal });
        if (signal.aborted) return;
        const { logs, nextCursor } = answer;
        setLines((known) => withLines(known, order === 'newest' ? logs.reverse() : logs));
        setSearched((before) => ({
          lines: (before?.lines ?? 0) + answer.searched.lines,
          reached: answer.searched.reached,
          hosts: answer.searched.hosts,
        }));
        cursor = nextCursor;
        found += logs.length;
        setCursors(({ [order]: _, ...others }) => ({ ...others, ...(cursor ? { [order]: cursor } : {}) }));
        if (cursor === undefined || found >= pageLines / 2) break;
      }
    } catch (error) {
      if (!signal.aborted) setTrouble(sentenceOf(error));
    } finally {
      if (!signal.aborted) setIsBusy(false);
    }
  }

  function follow() {
    let gap: string | undefined;
    const { of } = asked();
    void followKept(
      of,
      { ...filters(), lines: pageLines },
      {
        onLines(more) {
          const [first] = more;
          const shown = gap !== undefined && first ? [gapBefore(first, gap), ...more] : more;
          if (first) gap = undefined;
          if (shown.length > 0) setLines((known) => withLines(known, shown, liveLinesMax));
          setIsBusy(false);
        },
        onState(now) {
          setState(now);
          setSkipped((before) => before + now.skippedLines);
          if (now.skippedLines > 0 || !now.isExact)
            gap = logSearchText.skipped(now.skippedLines, now.isExact);
        },
        onTrouble(sentence) {
          setTrouble(sentence);
          setIsBusy(false);
        },
        onOpen(isNowOpen) {
          setIsOpen(isNowOpen);
          if (isNowOpen) setTrouble('');
        },
      },
      stop.signal,
    );
  }

  const rangeNow = (time: Time) => rangeOf(time, Date.now()) ?? {};
  let range: { since?: number; until?: number } = {};
  createEffect(
    on(
      () => {
        const { of, services, place, isAllowed } = asked();
        return JSON.stringify([of, services, place.query(), place.time(), isAllowed]);
      },
      () => {
        stop = new AbortController();
        const own = stop;
        onCleanup(() => own.abort());
        setLines([]);
        setCursors({});
        setTrouble('');
        setState(undefined);
        setSkipped(0);
        setSearched(undefined);
        setIsOpen(false);
        if (!asked().isAllowed) return;
        setIsBusy(true);
        const time = asked().place.time();
        range = rangeNow(time);
        if (time.kind === 'live') follow();
        else if (time.kind !== 'around') void search('newest', range);
        else {
          // Earlier and later pages of «around» have no end.
          const { at } = time;
          range = {};
          void search('newest', { until: at }).then(async () => {
            if (!own.signal.aborted) await search('oldest', { since: at });
          });
        }
      },
    ),
  );
  const more = (order: 'newest' | 'oldest') => {
    const cursor = cursors()[order];
    const time = asked().place.time();
    const at =
      time.kind === 'around' ? (order === 'newest' ? { until: time.at } : { since: time.at }) : range;
    if (cursor !== undefined) return () => void search(order, at, cursor);
    const [first] = lines();
    if (order === 'oldest' || time.kind !== 'live' || !first) return undefined;
    // Other lines may have the same millisecond; the line itself is already known.
    return () => void search('newest', { until: Date.parse(first.createdAt) + 1 });
  };
  return {
    ...{ lines, isBusy, isOpen, trouble, state, skipped, searched },
    older: () => more('newest'),
    newer: () => more('oldest'),
  };
}
