/**
 * A log of any length: only the visible rows are in the document. It follows new lines until the user scrolls up. A click on a line number copies a
 * link to that line.
 */
import { createEffect, createMemo, createSignal, For, on, onCleanup, onMount } from 'solid-js';
import { logText } from '../text/deployment-text.ts';
import { Button } from '../ui/button.tsx';
import { copyText } from '../ui/copy.tsx';
import { DownIcon } from '../ui/icons.tsx';
import { Show } from '../ui/show.ts';
import type { Line, NamedPart, Shown } from './line.ts';
import { type LogLines, matchesIn } from './log-lines.ts';
import { LogRow } from './log-row.tsx';
import { LogToolbar } from './log-toolbar.tsx';
import { rowHeight } from './row-places.ts';
import { createWrapping, isWrapped, probeChars } from './wrapping.ts';
import '../styles/log.css';

/** Extra rows above and below the visible ones, so that scrolling shows no gaps. */
const overscan = 30;
/** Pixels from the end within which the log counts as scrolled to its end. */
const endSlack = 30;

interface LogViewProps {
  lines: LogLines;
  /** Whether more lines may come. */
  isLive: boolean;
  /** Whether the stream is open. */
  isOpen: boolean;
  /** Name of the downloaded file. */
  name: string;
  /** The label before a line: its number, which can be linked, or the time. */
  label: 'number' | 'time';
  /** The reason why there are no lines, if it is not just too early. */
  emptyText?: string;
  /** Number of the line at which it opens, unless the address names another one. It may come later than the lines. */
  openAt?: number | undefined;
  /** Parts of the log that can be shown separately. */
  steps?: readonly NamedPart[];
  /** The name of the part that is shown alone, if the page chooses it; empty: all. */
  step?: string;
  onStep?(name: string): void;
}

export function LogView(props: LogViewProps) {
  let scroller: HTMLDivElement | undefined;
  let content: HTMLDivElement | undefined;
  let probe: HTMLSpanElement | undefined;
  const [top, setTop] = createSignal(0);
  const [height, setHeight] = createSignal(600);
  const [kind, setKind] = createSignal<Shown>('all');
  const [ownStep, setOwnStep] = createSignal('');
  const stepName = () => props.step ?? ownStep();
  const setStepName = (name: string) => (props.onStep ?? setOwnStep)(name);
  const [words, setWords] = createSignal('');
  const [match, setMatch] = createSignal(0);
  const [isFollowing, setIsFollowing] = createSignal(true);
  const [seen, setSeen] = createSignal(0);
  const [linked, setTarget] = createSignal(lineInAddress());
  const target = () => linked() ?? props.openAt;

  // The array is changed in place, so an equality check would hide changes.
  const step = () => props.steps?.find(({ name }) => name === stepName());
  const rows = createMemo(() => props.lines.shown(kind(), step()), [], { equals: false });
  const count = createMemo(() => rows().length, 0, { equals: false });
  const matches = createMemo(() => matchesIn(rows(), words()));
  const isSearched = createMemo(() => new Set(matches()));
  const current = () => matches()[Math.min(match(), matches().length - 1)];
  const { places, measureColumns, measureRows } = createWrapping(rows);
  const first = () => Math.max(0, places().at(top()) - overscan);
  const visible = createMemo(() => {
    const last = Math.min(count(), places().at(top() + height()) + 1 + overscan);
    return rows().slice(first(), last);
  });
  const shownRows = () => content?.querySelectorAll<HTMLElement>(':scope > .log-row') ?? [];
  createEffect(on([visible, isWrapped], () => queueMicrotask(() => measureRows(shownRows(), first()))));

  const toRow = (index: number) => {
    if (!scroller) return;
    setIsFollowing(false);
    scroller.scrollTop = places().top(index) - height() / 2;
  };
  const toEnd = () => {
    if (!scroller) return;
    scroller.scrollTop = scroller.scrollHeight;
    setSeen(count());
    setIsFollowing(true);
  };
  const scrolled = () => {
    if (!scroller) return;
    const isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < endSlack;
    setTop(scroller.scrollTop);
    if (isAtEnd !== isFollowing()) setIsFollowing(isAtEnd);
    if (isAtEnd) setSeen(count());
  };
  const toMatch = (by: number) => {
    const { length } = matches();
    if (length === 0) return;
    setMatch((at) => (Math.min(at, length - 1) + by + length) % length);
    toRow(current() ?? 0);
  };

  onMount(() => {
    const resized = new ResizeObserver(() => {
      if (scroller) setHeight(scroller.clientHeight);
      if (probe?.parentElement) measureColumns(probe.parentElement, probe);
    });
    if (scroller) resized.observe(scroller);
    onCleanup(() => resized.disconnect());
    const jumped = () => setTarget(lineInAddress());
    addEventListener('hashchange', jumped);
    onCleanup(() => removeEventListener('hashchange', jumped));
  });
  createEffect(
    on(count, () => {
      if (isFollowing() && target() === undefined) toEnd();
    }),
  );
  let seenCount = 0;
  // Keep the scroll position when heights change, for example when lines are wrapped.
  createEffect(
    on(places, (now, before) => {
      if (!scroller || !before) return;
      const place = before.at(scroller.scrollTop);
      const moved = now.top(place) - before.top(place);
      if (isFollowing() && target() === undefined) queueMicrotask(toEnd);
      else if (moved !== 0 && rows().length === seenCount) scroller.scrollTop += moved;
      seenCount = rows().length;
    }),
  );
  // Keep the scroll position when old lines are dropped.
  createEffect(
    on(
      () => props.lines.dropped(),
      (now, before = 0) => {
        if (scroller && !isFollowing()) scroller.scrollTop -= (now - before) * rowHeight;
        return now;
      },
    ),
  );
  // Scroll to the linked line once it has arrived.
  let shownTarget: number | undefined;
  createEffect(() => {
    const wanted = target();
    if (wanted === undefined || wanted === shownTarget || count() === 0) return;
    const index = rows().findIndex(({ id }) => id >= wanted);
    if (index < 0) return;
    shownTarget = wanted;
    queueMicrotask(() => toRow(index));
  });
  createEffect(on(words, () => words() !== '' && toMatch(0), { defer: true }));

  const emptyText = () => {
    if (props.lines.all().length > 0) return logText.noneShown;
    return props.emptyText || (props.isLive ? logText.waiting : logText.empty);
  };
  const link = (line: Line) => {
    const { pathname, search } = location;
    history.replaceState(history.state, '', `${pathname}${search}#L${line.id}`);
    shownTarget = line.id;
    setTarget(line.id);
    void copyText(location.href, logText.lineCopied(line.id));
  };
  return (
    <section class="log" classList={{ timed: props.label === 'time' }} aria-label={logText.label}>
      <LogToolbar
        lines={rows()}
        kind={kind()}
        onKind={setKind}
        steps={props.steps ?? []}
        step={step() ? stepName() : ''}
        onStep={setStepName}
        words={words()}
        onWords={(next) => {
          setMatch(0);
          setWords(next);
        }}
        found={{
          at: matches().length === 0 ? 0 : Math.min(match(), matches().length - 1) + 1,
          of: matches().length,
        }}
        onMatch={toMatch}
        name={props.name}
      />
      <section class="log-scroller" ref={scroller} aria-label={logText.text} tabindex="0" onScroll={scrolled}>
        <div
          class="log-content"
          classList={{ wrapped: isWrapped() }}
          ref={content}
          style={{ height: `${places().top(count())}px` }}
        >
          <div class="log-probe" aria-hidden="true">
            <span ref={probe}>{'0'.repeat(probeChars)}</span>
          </div>
          <For each={visible()}>
            {(line, place) => {
              // A line keeps its elements while it is visible: scrolling creates only new rows.
              const index = () => first() + place();
              return (
                <LogRow
                  line={line}
                  top={places().top(index())}
                  words={isSearched().has(index()) ? words() : ''}
                  isCurrent={current() === index()}
                  isTarget={target() === line.id}
                  onLink={props.label === 'time' ? undefined : () => link(line)}
                />
              );
            }}
          </For>
        </div>
        <Show when={count() === 0}>
          <p class="log-empty">{emptyText()}</p>
        </Show>
      </section>
      <footer class="log-foot">
        <span class="quiet-text">{logText.lines(count())}</span>
        <span role="status" class="quiet-text">
          {props.isLive && !props.isOpen && count() > 0 ? logText.reconnecting : ''}
        </span>
        <Show when={!isFollowing() && (props.isLive || count() > 0)}>
          <Button class="small" icon={DownIcon} onClick={toEnd}>
            {props.isLive && count() > seen()
              ? `${logText.follow} · ${logText.newLines(count() - seen())}`
              : logText.end}
          </Button>
        </Show>
        <Show when={isFollowing() && props.isLive}>
          <span class="quiet-text live">{logText.following}</span>
        </Show>
      </footer>
    </section>
  );
}

/** The line number in the address: `#L120`. */
function lineInAddress(): number | undefined {
  const [, id] = /^#L(\d{1,15})$/.exec(location.hash) ?? [];
  return id === undefined ? undefined : Number(id);
}
