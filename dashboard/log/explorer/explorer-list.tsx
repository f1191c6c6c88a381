/** The rows of an explorer: only the visible ones are in the document. The list follows new lines until the user scrolls up. */
import { createEffect, createMemo, createSignal, For, type JSX, on, onCleanup, onMount } from 'solid-js';
import { logSearchText as text } from '../../text/log-search-text.ts';
import { clockTime, dateText } from '../../ui/age.tsx';
import { Button } from '../../ui/button.tsx';
import { DownIcon } from '../../ui/icons.tsx';
import { Show } from '../../ui/show.ts';
import { spansOf } from '../ansi.ts';
import { createWrapping, isWrapped, probeChars } from '../wrapping.ts';
import type { ExplorerRow } from './explorer-rows.ts';

const overscan = 20;
const endSlack = 30;
const dayMs = 86_400_000;

interface ExplorerListProps {
  rows: readonly ExplorerRow[];
  names: ReadonlyMap<string, string>;
  hasNames: boolean;
  /** The opened row. */
  openId: string | undefined;
  onOpen(row: ExplorerRow): void;
  /** Scroll to the first row at this time, in place of the end. */
  at: number | undefined;
  empty: string;
  older: JSX.Element;
  newer: JSX.Element;
}

export function ExplorerList(props: ExplorerListProps) {
  let scroller: HTMLDivElement | undefined;
  let content: HTMLDivElement | undefined;
  let probe: HTMLSpanElement | undefined;
  const [top, setTop] = createSignal(0);
  const [height, setHeight] = createSignal(600);
  const [isFollowing, setIsFollowing] = createSignal(true);
  const [seen, setSeen] = createSignal(0);
  const [current, setCurrent] = createSignal<number>();
  const count = () => props.rows.length;
  const { places, measureColumns, measureRows } = createWrapping(() => props.rows);
  const first = () => Math.max(0, places().at(top()) - overscan);
  const visible = createMemo(() =>
    props.rows.slice(first(), Math.min(count(), places().at(top() + height()) + 1 + overscan)),
  );
  const isDated = createMemo(() => Date.now() - Date.parse(props.rows[0]?.createdAt ?? '') > dayMs / 2);
  createEffect(
    on([visible, isWrapped], () =>
      queueMicrotask(() =>
        measureRows(content?.querySelectorAll<HTMLElement>(':scope > .log-row') ?? [], first()),
      ),
    ),
  );
  const toEnd = () => {
    if (scroller) scroller.scrollTop = scroller.scrollHeight;
    setSeen(count());
    setIsFollowing(true);
  };
  const scrolled = () => {
    if (!scroller) return;
    setTop(scroller.scrollTop);
    const isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < endSlack;
    setIsFollowing(isAtEnd);
    if (isAtEnd) setSeen(count());
  };
  onMount(() => {
    const resized = new ResizeObserver(() => {
      if (scroller) setHeight(scroller.clientHeight);
      if (isFollowing() && props.at === undefined) toEnd();
      if (probe?.parentElement) measureColumns(probe.parentElement, probe);
    });
    if (scroller) resized.observe(scroller);
    onCleanup(() => resized.disconnect());
  });
  let shownAt: number | undefined;
  let firstRow: ExplorerRow | undefined;
  createEffect(
    on([() => props.rows, places], ([rows, now], before) => {
      const { at } = props;
      const place = scroller?.scrollTop ?? 0;
      const index = before ? before[1].at(place) : 0;
      const anchor = before?.[0][index];
      const offset = before ? place - before[1].top(index) : 0;
      const isNewTarget = at !== undefined && at !== shownAt;
      queueMicrotask(() => {
        if (!scroller) return;
        const target = at === undefined ? -1 : rows.findIndex(({ createdAt }) => Date.parse(createdAt) >= at);
        if (isNewTarget && rows.length > 0) {
          scroller.scrollTop = now.top(target < 0 ? rows.length : target) - height() / 2;
          if (target >= 0) shownAt = at;
        } else if (isFollowing() && at === undefined) toEnd();
        else if (anchor && rows[0] !== firstRow) {
          // Keep the place when lines come or go above it.
          const moved = rows.findIndex((row) => row.of === anchor.of);
          if (moved >= 0) scroller.scrollTop = now.top(moved) + offset;
        }
        firstRow = rows[0];
      });
    }),
  );
  const pressed = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const at = current() ?? places().at(top() + height() / 2);
    const row = props.rows[at];
    if (event.key === 'Enter' && event.target === scroller && row) props.onOpen(row);
    else if (by !== 0) {
      const next = Math.max(0, Math.min(count() - 1, at + by));
      setCurrent(next);
      if (!scroller) return;
      const [start, end] = [places().top(next), places().top(next + 1)];
      if (start < scroller.scrollTop) scroller.scrollTop = start;
      else if (end > scroller.scrollTop + height()) scroller.scrollTop = end - height();
    } else return;
    event.preventDefault();
  };
  return (
    <>
      <section
        class="log-scroller explorer-scroller"
        ref={scroller}
        aria-label={text.region}
        tabindex="0"
        onScroll={scrolled}
        onKeyDown={pressed}
      >
        {props.older}
        <div
          class="log-content"
          classList={{ wrapped: isWrapped(), named: props.hasNames, dated: isDated() }}
          ref={content}
          style={{ height: `${places().top(count())}px` }}
        >
          <div class="log-probe" aria-hidden="true">
            <span ref={probe}>{'0'.repeat(probeChars)}</span>
          </div>
          <For each={visible()}>
            {(row, place) => (
              <Row
                row={row}
                top={places().top(first() + place())}
                isDated={isDated()}
                name={props.hasNames ? (props.names.get(row.of.serviceId) ?? '') : undefined}
                isCurrent={current() === first() + place()}
                isOpen={props.openId === String(row.id)}
                onOpen={() => props.onOpen(row)}
              />
            )}
          </For>
        </div>
        {props.newer}
        <Show when={count() === 0}>
          <p class="log-empty">{props.empty}</p>
        </Show>
      </section>
      <Show when={!isFollowing() && count() > 0}>
        <Button class="small to-newest" icon={DownIcon} onClick={toEnd}>
          {count() > seen() && seen() > 0 ? text.newLines(count() - seen()) : text.newest}
        </Button>
      </Show>
    </>
  );
}

interface RowProps {
  row: ExplorerRow;
  top: number;
  isDated: boolean;
  name: string | undefined;
  isCurrent: boolean;
  isOpen: boolean;
  onOpen(): void;
}

/** `22:11:50.123` */
const fraction = (at: string) => `${clockTime(at)}.${at.slice(20, 23).padEnd(3, '0')}`;

function Row(props: RowProps) {
  const level = () => props.row.of.level ?? 'none';
  const time = () =>
    (props.isDated ? `${dateText(props.row.createdAt)} ` : '') + fraction(props.row.createdAt);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same for keys
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list opens its current row with Enter
    <div
      class={`log-row explorer-row level-${level()} stream-${props.row.stream}`}
      classList={{ current: props.isCurrent, target: props.isOpen }}
      style={{ transform: `translateY(${props.top}px)` }}
      onClick={() => String(getSelection()) === '' && props.onOpen()}
    >
      <button
        type="button"
        class="row-time"
        tabindex={props.isCurrent || props.isOpen ? 0 : -1}
        aria-label={text.open(time())}
      >
        {time()}
      </button>
      <Show when={props.name !== undefined}>
        <span class="row-service" title={props.name}>
          {props.name}
        </span>
      </Show>
      <span class="log-text">
        <span class="row-fields">{props.row.parts.replica}</span>
        <For each={spansOf(props.row.parts.message)}>
          {(span) => <span class={span.classes}>{span.text}</span>}
        </For>
        <span class="row-fields">{props.row.parts.fields}</span>
        <span class="row-fields">{props.row.parts.more}</span>
      </span>
    </div>
  );
}
