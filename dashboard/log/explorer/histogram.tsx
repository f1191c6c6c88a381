/** Lines by level over the range. A drag selects a part to zoom into; arrow keys do the same. */
import { createEffect, createMemo, createSignal, For, on, onCleanup } from 'solid-js';
import { api } from '../../api/client.ts';
import type { LogsOf } from '../../api/follow-kept.ts';
import { logSearchText as text } from '../../text/log-search-text.ts';
import { clockTime, dateText } from '../../ui/age.tsx';
import { Show } from '../../ui/show.ts';

type Levels = Readonly<Record<string, number>>;
/** The colours that a bar has, from its bottom. */
const bands = [
  { name: 'bad', levels: ['error', 'fatal'] },
  { name: 'warn', levels: ['warn'] },
  { name: 'other', levels: ['info', 'debug', 'trace', 'none'] },
] as const satisfies readonly { name: string; levels: readonly string[] }[];

const bars = 60;
/** A count goes on by itself over this many answers of a host: at most 1 GB. */
const pagesMax = 16;

interface HistogramProps {
  of: LogsOf;
  services: string | undefined;
  query: string;
  range: { since: number; until: number };
  onZoom(range: { since: number; until: number }): void;
}

export function Histogram(props: HistogramProps) {
  const [counts, setCounts] = createSignal<readonly Levels[]>([]);
  const [countedFrom, setCountedFrom] = createSignal<string>();
  const [cursor, setCursor] = createSignal<number>();
  const [anchor, setAnchor] = createSignal<number>();
  createEffect(
    on(
      () => JSON.stringify([props.of, props.services, props.query, props.range]),
      () => {
        const stop = new AbortController();
        onCleanup(() => stop.abort());
        setCounts([]);
        setCursor(undefined);
        setAnchor(undefined);
        void load(stop.signal).catch(() => undefined); // The search of the lines shows the reason.
      },
    ),
  );
  async function load(signal: AbortSignal) {
    const { of, services, range } = props;
    const sums: Levels[] = [];
    let from: string | undefined;
    for (let page = 0; page < pagesMax; page++) {
      const query = {
        since: new Date(range.since).toISOString(),
        until: new Date(range.until).toISOString(),
        buckets: bars,
        ...(props.query.trim() === '' ? {} : { query: props.query }),
        ...(services === undefined ? {} : { services }),
        ...(from === undefined ? {} : { cursor: from }),
      };
      const answer =
        'serviceId' in of
          ? await api.call('GET /api/services/:serviceId/runtime-logs/histogram', {
              params: of,
              query,
              signal,
            })
          : await api.call('GET /api/projects/:projectId/runtime-logs/histogram', {
              params: of,
              query,
              signal,
            });
      for (const { at, levels } of answer.buckets) {
        const bar = Math.round((Date.parse(at) - range.since) / answer.bucketMs);
        sums[bar] = sumOf(sums[bar], levels);
      }
      setCounts(Array.from({ length: bars }, (_, bar) => sums[bar] ?? {}));
      setCountedFrom(answer.searched.reached ?? undefined);
      from = answer.nextCursor;
      if (from === undefined) return;
    }
  }
  const totals = createMemo(() => counts().map(totalOf));
  const top = createMemo(() => Math.max(1, ...totals()));
  const barMs = () => (props.range.until - props.range.since) / bars;
  const timeOf = (bar: number) => {
    const at = props.range.since + bar * barMs();
    return barMs() * bars > 20 * 3_600_000 ? `${dateText(at)} ${clockTime(at)}` : clockTime(at);
  };
  const selected = () => {
    const [one, other] = [anchor(), cursor()];
    if (one === undefined || other === undefined) return undefined;
    return [Math.min(one, other), Math.max(one, other)] as const;
  };
  const zoom = () => {
    const [first, last] = selected() ?? [cursor() ?? 0, cursor() ?? 0];
    const { since } = props.range;
    setAnchor(undefined);
    props.onZoom({
      since: Math.floor(since + first * barMs()),
      until: Math.ceil(since + (last + 1) * barMs()),
    });
  };
  const barAt = (event: PointerEvent & { currentTarget: Element }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(bars - 1, Math.floor(((event.clientX - left) / width) * bars)));
  };
  const pressed = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (by !== 0) {
      const at = cursor() ?? (by > 0 ? -1 : bars);
      if (event.shiftKey) setAnchor((known) => known ?? Math.max(0, Math.min(bars - 1, at)));
      else setAnchor(undefined);
      setCursor(Math.max(0, Math.min(bars - 1, at + by)));
    } else if (event.key === 'Enter' && cursor() !== undefined) zoom();
    else if (event.key === 'Escape') setAnchor(undefined);
    else return;
    event.preventDefault();
  };
  const summary = (bar: number) =>
    text.bar(
      timeOf(bar),
      Object.entries(counts()[bar] ?? {})
        .map(([level, n]) => `${text.number(n)} ${level === 'none' ? text.none : level}`)
        .join(', ') || '0',
    );
  return (
    <figure class="histogram">
      {/* biome-ignore lint/a11y/useFocusableInteractive: tabindex makes it focusable */}
      <div
        class="histogram-bars"
        role="slider"
        tabindex="0"
        aria-label={text.histogram(
          text.number(totals().reduce((sum, n) => sum + n, 0)),
          timeOf(0),
          timeOf(bars),
        )}
        aria-valuemin={0}
        aria-valuemax={bars - 1}
        aria-valuenow={cursor() ?? 0}
        aria-valuetext={summary(cursor() ?? 0)}
        onKeyDown={pressed}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setAnchor(barAt(event));
          setCursor(barAt(event));
        }}
        onPointerMove={(event) => setCursor(barAt(event))}
        onPointerUp={() => {
          const parts = selected();
          if (parts && parts[1] > parts[0]) zoom();
          else setAnchor(undefined);
        }}
        onPointerLeave={() => anchor() === undefined && setCursor(undefined)}
      >
        <For each={counts()}>
          {(levels, bar) => (
            <div
              class="histogram-bar"
              classList={{
                current: cursor() === bar(),
                selected: bar() >= (selected()?.[0] ?? bars) && bar() <= (selected()?.[1] ?? -1),
              }}
            >
              <For each={bands}>
                {(band) => (
                  <span
                    class={`band-${band.name}`}
                    style={{ height: `${heightOf(band.levels, levels, top())}%` }}
                  />
                )}
              </For>
            </div>
          )}
        </For>
      </div>
      <figcaption>
        <span>{timeOf(0)}</span>
        <span class="histogram-now">
          {cursor() === undefined ? '' : summary(cursor() ?? 0)}
          <Show when={cursor() === undefined && countedFrom()}>
            {(from) => text.partial(clockTime(from()))}
          </Show>
        </span>
        <span>{timeOf(bars)}</span>
      </figcaption>
    </figure>
  );
}

const totalOf = (levels: Levels): number => Object.values(levels).reduce((sum, n) => sum + n, 0);

/** A few errors among thousands of lines still have two percent. */
function heightOf(names: readonly string[], levels: Levels, top: number): number {
  const n = names.reduce((sum, name) => sum + (levels[name] ?? 0), 0);
  return n === 0 ? 0 : Math.max(2, (100 * n) / top);
}

function sumOf(one: Levels | undefined, other: Levels): Levels {
  const sum = { ...one };
  for (const [name, n] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + n;
  return sum;
}
