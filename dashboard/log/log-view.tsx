/**
 * A log of any length: only the rows in sight are in the document. It follows new lines until the person scrolls up. A click on a number copies a
 * link to that line.
 */
import { createEffect, createMemo, createSignal, For, on, onCleanup, onMount, Show } from 'solid-js';
import { t } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { copyText } from '../ui/copy.tsx';
import { DownIcon } from '../ui/icons.tsx';
import { type Line, type LogLines, matchesIn, type Shown } from './log-lines.ts';
import { LogRow } from './log-row.tsx';
import { LogToolbar } from './log-toolbar.tsx';

/** Height of a row in pixels, as in styles/log.css. */
const rowHeight = 20;
/** Rows above and below what is in sight, so that scrolling shows no gaps. */
const overscan = 30;
/** Pixels from the end within which the log counts as scrolled to its end. */
const endSlack = 30;

interface LogViewProps {
  lines: LogLines;
  /** Whether more lines may come. */
  isLive: boolean;
  /** Whether the stream is open. */
  isOpen: boolean;
  /** Of the downloaded file. */
  name: string;
  /** What is in front of a line: its number, to which one can link, or the time. */
  label: 'number' | 'time';
}

export function LogView(props: LogViewProps) {
  let scroller: HTMLDivElement | undefined;
  const [top, setTop] = createSignal(0);
  const [height, setHeight] = createSignal(600);
  const [kind, setKind] = createSignal<Shown>('all');
  const [words, setWords] = createSignal('');
  const [match, setMatch] = createSignal(0);
  const [isFollowing, setIsFollowing] = createSignal(true);
  const [seen, setSeen] = createSignal(0);
  const [target, setTarget] = createSignal(lineInAddress());

  // The array is filled in place, so equality would hide changes.
  const rows = createMemo(() => props.lines.shown(kind()), [], { equals: false });
  const count = createMemo(() => rows().length, 0, { equals: false });
  const matches = createMemo(() => matchesIn(rows(), words()));
  const isSearched = createMemo(() => new Set(matches()));
  const current = () => matches()[Math.min(match(), matches().length - 1)];
  const first = () => Math.max(0, Math.floor(top() / rowHeight) - overscan);
  const visible = createMemo(() => {
    const last = Math.min(count(), Math.ceil((top() + height()) / rowHeight) + overscan);
    return rows().slice(first(), last);
  });

  const toRow = (index: number) => {
    if (!scroller) return;
    setIsFollowing(false);
    scroller.scrollTop = index * rowHeight - height() / 2;
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
    const resized = new ResizeObserver(() => scroller && setHeight(scroller.clientHeight));
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
  // What was dropped at the begin does not move what is read.
  createEffect(
    on(
      () => props.lines.dropped(),
      (now, before = 0) => {
        if (scroller && !isFollowing()) scroller.scrollTop -= (now - before) * rowHeight;
        return now;
      },
    ),
  );
  // A link to a line leads there once the line has come.
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

  const link = (line: Line) => {
    const { pathname, search } = location;
    history.replaceState(history.state, '', `${pathname}${search}#L${line.id}`);
    shownTarget = line.id;
    setTarget(line.id);
    void copyText(location.href, t.log.lineCopied(line.id));
  };
  return (
    <section class="log" classList={{ timed: props.label === 'time' }} aria-label={t.log.label}>
      <LogToolbar
        lines={rows()}
        kind={kind()}
        onKind={setKind}
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
      <section class="log-scroller" ref={scroller} aria-label={t.log.text} tabindex="0" onScroll={scrolled}>
        <div class="log-content" style={{ height: `${count() * rowHeight}px` }}>
          <For each={visible()}>
            {(line, place) => {
              // A line keeps its elements while it is in sight: scrolling makes only what comes in.
              const index = () => first() + place();
              return (
                <LogRow
                  line={line}
                  top={index() * rowHeight}
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
          <p class="log-empty">{props.isLive ? t.log.waiting : t.log.empty}</p>
        </Show>
      </section>
      <footer class="log-foot">
        <span class="quiet-text">{t.log.lines(count())}</span>
        <span role="status" class="quiet-text">
          {props.isLive && !props.isOpen && count() > 0 ? t.log.reconnecting : ''}
        </span>
        <Show when={!isFollowing() && (props.isLive || count() > 0)}>
          <Button class="small" icon={DownIcon} onClick={toEnd}>
            {props.isLive && count() > seen()
              ? `${t.log.follow} · ${t.log.newLines(count() - seen())}`
              : t.log.end}
          </Button>
        </Show>
        <Show when={isFollowing() && props.isLive}>
          <span class="quiet-text live">{t.log.following}</span>
        </Show>
      </footer>
    </section>
  );
}

/** The line that the address names: `#L120`. */
function lineInAddress(): number | undefined {
  const [, id] = /^#L(\d{1,15})$/.exec(location.hash) ?? [];
  return id === undefined ? undefined : Number(id);
}
