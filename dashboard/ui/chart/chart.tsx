/**
 * One chart: lines or stacked areas over time, the limit, and the times of deployments. The moment under the pointer is shown in all charts of the
 * page. A drag chooses a part of the time, a click opens a moment; the arrow keys and Enter do the same.
 */
import { createMemo, For } from 'solid-js';
import { clockTime, dateText, exactTime } from '../age.tsx';
import {
  areaPath,
  axisTo,
  highestOf,
  linePath,
  logAxis,
  plotSize,
  singlePoints,
  valueText,
} from '../plot.ts';
import { Show } from '../show.ts';
import { shortestMs, timeTicks } from './chart-range.ts';
import { chartText } from './chart-text.ts';
import type { ChartPointer } from './pointer.ts';

export interface Line {
  label: string;
  average: readonly (number | null)[];
  maximum: readonly (number | null)[];
  /** What the line is about. */
  href?: string;
  /** The class that gives it its colour; absent: the place of the line. */
  tone?: string;
}

export interface Marker {
  at: number;
  title: string;
  href: string;
}

export interface ChartProps {
  title: string;
  unit: string;
  lines: readonly Line[];
  /** `stack`: areas, one above the other. `log`: lines on a logarithmic axis. */
  form?: 'lines' | 'stack' | 'log';
  limit?: number | null;
  /** What the limit is, if it is not one of the service. */
  limitLabel?: string;
  from: number;
  stepMs: number;
  markers?: readonly Marker[];
  /** Where several markers in one place lead. */
  markersHref?: string;
  pointer: ChartPointer;
  zoom(from: number, to: number): void;
  /** Opens a moment; absent: a click does nothing. */
  open?: ((at: number) => void) | undefined;
}

/** Pointer movements below this are a click. */
const clickPixels = 5;
/** Markers closer than this share of the time are one: each is 24 px wide, and a plot at least 300 px. */
const markerShare = 0.08;

export function Chart(props: ChartProps) {
  const count = () => props.lines[0]?.average.length ?? 0;
  const spanMs = () => props.stepMs * Math.max(1, count() - 1);
  const tops = () => props.lines.map((line) => highestOf(line.maximum) ?? 0);
  const sums = createMemo(() => sumsOf(props.lines));
  const axis = createMemo(() => {
    if (props.form === 'log') {
      const known = props.lines.flatMap(({ average }) => average.filter((value) => value !== null));
      return logAxis(known.length === 0 ? 1 : Math.min(...known), Math.max(...known, 1));
    }
    const highest = props.form === 'stack' ? Math.max(0, ...(sums().at(-1) ?? [])) : Math.max(0, ...tops());
    return axisTo(Math.max(highest, props.limit ?? 0), props.unit);
  });
  const isEmpty = () => props.lines.every(({ average }) => highestOf(average) === null);
  const clamped = (index: number) => Math.max(0, Math.min(count() - 1, index));
  const indexOf = (at: number) => clamped(Math.round((at - props.from) / props.stepMs));
  const hovered = () => {
    const at = props.pointer.at();
    return at === undefined ? undefined : indexOf(at);
  };
  const timeAt = (index: number) => props.from + index * props.stepMs;
  const shownAt = () => hovered() ?? lastKnown(props.lines);
  const left = (at: number) => `${(100 * (at - props.from)) / spanMs()}%`;
  const valuesText = (index: number) =>
    props.lines.map(({ label, average }) => `${label} ${valueText(average[index], props.unit)}`).join(', ');
  const summary = () =>
    props.lines
      .map((line, at) =>
        chartText.summary(
          line.label,
          valueText(line.average[lastKnown(props.lines)], props.unit),
          valueText(tops()[at], props.unit),
        ),
      )
      .join('; ');
  let pressedX: number | undefined;
  let pressedAt = 0;
  const momentOf = (event: PointerEvent & { currentTarget: Element }) => {
    const { left: start, width } = event.currentTarget.getBoundingClientRect();
    return timeAt(clamped(Math.round(((event.clientX - start) / width) * (count() - 1))));
  };
  const pressed = (event: PointerEvent & { currentTarget: Element }) => {
    if (event.button !== 0) return;
    pressedX = event.clientX;
    pressedAt = momentOf(event);
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const moved = (event: PointerEvent & { currentTarget: Element }) => {
    const at = momentOf(event);
    props.pointer.setAt(at);
    if (pressedX === undefined || Math.abs(event.clientX - pressedX) < clickPixels) return;
    props.pointer.setChosen({ from: Math.min(at, pressedAt), to: Math.max(at, pressedAt) });
  };
  const released = () => {
    if (pressedX === undefined) return;
    pressedX = undefined;
    finish();
  };
  /** Zooms into what was chosen, or opens the moment. */
  const finish = () => {
    const chosen = props.pointer.chosen();
    const at = props.pointer.at();
    props.pointer.setChosen(undefined);
    if (chosen) {
      if (chosen.to - chosen.from >= shortestMs) props.zoom(chosen.from, chosen.to);
    } else if (at !== undefined) props.open?.(at);
  };
  const cancelled = () => {
    pressedX = undefined;
    props.pointer.setChosen(undefined);
  };
  const typed = (event: KeyboardEvent) => {
    const index = hovered() ?? count() - 1;
    const page = Math.max(1, Math.round(count() / 10));
    const moves: Record<string, number> = {
      ArrowLeft: index - 1,
      ArrowRight: index + 1,
      PageDown: index - page,
      PageUp: index + page,
      Home: 0,
      End: count() - 1,
    };
    const to = moves[event.key];
    if (event.key === 'Enter') finish();
    else if (event.key === 'Escape' && props.pointer.chosen()) cancelled();
    else if (to !== undefined) moveTo(clamped(to), index, event.shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const moveTo = (to: number, from: number, isChoosing: boolean) => {
    const chosen = props.pointer.chosen();
    // The end of the choice that does not move.
    const fixed = chosen ? (chosen.from === timeAt(from) ? chosen.to : chosen.from) : timeAt(from);
    props.pointer.setAt(timeAt(to));
    props.pointer.setChosen(
      isChoosing ? { from: Math.min(fixed, timeAt(to)), to: Math.max(fixed, timeAt(to)) } : undefined,
    );
  };
  const ticks = () => timeTicks(props.from, props.from + spanMs(), -new Date().getTimezoneOffset() * 60_000);
  return (
    <section class="panel chart" classList={{ stacked: props.form === 'stack' }}>
      <header>
        <h2>{props.title}</h2>
        <span class="quiet-text">
          <Show when={hovered() !== undefined} fallback={chartText.now}>
            {exactTime(timeAt(hovered() ?? 0))}
          </Show>
        </span>
      </header>
      <Show when={!isEmpty()} fallback={<p class="quiet-text nothing-here">{chartText.nothing}</p>}>
        <div class="plot">
          <div class="ticks" aria-hidden="true">
            <For each={axis().ticks}>
              {(tick) => (
                <span style={{ bottom: `${100 * axis().scale(tick)}%` }}>{valueText(tick, props.unit)}</span>
              )}
            </For>
          </div>
          <Show when={props.markers?.length}>
            <div class="markers">
              <For each={groupsOf(props.markers ?? [], spanMs() * markerShare)}>
                {(group) => (
                  <a
                    class="marker"
                    style={{ left: left(group[0]?.at ?? 0) }}
                    href={group.length === 1 ? (group[0]?.href ?? '') : (props.markersHref ?? '')}
                    title={markerText(group)}
                  >
                    <span class="visually-hidden">{markerText(group)}</span>
                  </a>
                )}
              </For>
            </div>
          </Show>
          <div
            class="plot-area"
            role="slider"
            tabIndex={0}
            aria-label={`${props.title}. ${summary()}. ${chartText.keys}`}
            aria-valuemin={0}
            aria-valuemax={Math.max(0, count() - 1)}
            aria-valuenow={shownAt()}
            aria-valuetext={`${exactTime(timeAt(shownAt()))}: ${valuesText(shownAt())}`}
            onPointerDown={pressed}
            onPointerMove={moved}
            onPointerUp={released}
            onPointerCancel={cancelled}
            onPointerLeave={() => props.pointer.setAt(undefined)}
            onKeyDown={typed}
            onBlur={() => props.pointer.setAt(undefined)}
          >
            <svg
              aria-hidden="true"
              viewBox={`0 0 ${plotSize.width} ${plotSize.height}`}
              preserveAspectRatio="none"
            >
              <For each={axis().ticks}>
                {(tick) => (
                  <path
                    class="rule"
                    d={`M0 ${plotSize.height * (1 - axis().scale(tick))}H${plotSize.width}`}
                  />
                )}
              </For>
              <Show when={props.limit}>
                {(limit) => (
                  <path
                    class="limit"
                    d={`M0 ${plotSize.height * (1 - axis().scale(limit()))}H${plotSize.width}`}
                  />
                )}
              </Show>
              <For each={props.lines}>
                {(line, at) => (
                  <Show
                    when={props.form === 'stack'}
                    fallback={
                      <>
                        <path class={`line ${toneOf(line, at())}`} d={linePath(line.average, axis().scale)} />
                        <path
                          class={`single ${toneOf(line, at())}`}
                          d={singlePoints(line.average, axis().scale)}
                        />
                      </>
                    }
                  >
                    <path
                      class={`area ${toneOf(line, at())}`}
                      d={areaPath(sums()[at()] ?? [], sums()[at() + 1] ?? [], axis().scale)}
                    />
                  </Show>
                )}
              </For>
            </svg>
            <Show when={props.pointer.chosen()}>
              {(chosen) => (
                <span
                  class="chosen"
                  style={{ left: left(chosen().from), right: `calc(100% - ${left(chosen().to)})` }}
                />
              )}
            </Show>
            <Show when={hovered() !== undefined}>
              <span class="cursor" style={{ left: left(timeAt(hovered() ?? 0)) }} />
            </Show>
          </div>
        </div>
        <p class="times" aria-hidden="true">
          <For each={ticks()}>
            {(at) => <span style={{ left: left(at) }}>{shortTime(at, spanMs())}</span>}
          </For>
        </p>
        <dl class="legend">
          <For each={props.lines}>
            {(line, at) => (
              <div>
                <dt>
                  <span class={`key ${toneOf(line, at())}`} aria-hidden="true" />
                  <Show when={line.href} fallback={line.label}>
                    {(href) => <a href={href()}>{line.label}</a>}
                  </Show>
                </dt>
                <dd>
                  <strong>{valueText(line.average[shownAt()], props.unit)}</strong>{' '}
                  <Show when={props.limit}>
                    {(limit) => <span>{shareText(line.average[shownAt()], limit())} </span>}
                  </Show>
                  <small class="quiet-text">
                    {chartText.highest} {valueText(tops()[at()], props.unit)}
                  </small>
                </dd>
              </div>
            )}
          </For>
          <Show when={props.limit}>
            {(limit) => (
              <div>
                <dt>
                  <span class="key limit" aria-hidden="true" />
                  {props.limitLabel ?? chartText.limit}
                </dt>
                <dd>{valueText(limit(), props.unit)}</dd>
              </div>
            )}
          </Show>
        </dl>
      </Show>
    </section>
  );
}

/** The share of the limit; empty if the value is not known. */
const shareText = (value: number | null | undefined, limit: number) =>
  value === null || value === undefined ? '' : valueText((100 * value) / limit, '%');

const toneOf = ({ tone }: Line, at: number) => tone ?? `line-${at}`;

/** The lower line of each area, and after them the upper line of the last: sums of the lines before. */
function sumsOf(lines: readonly Line[]): number[][] {
  const length = lines[0]?.average.length ?? 0;
  const sums = [new Array<number>(length).fill(0)];
  for (const { average } of lines)
    sums.push((sums.at(-1) ?? []).map((below, at) => below + (average[at] ?? 0)));
  return sums;
}

function groupsOf(markers: readonly Marker[], nearMs: number): Marker[][] {
  const groups: Marker[][] = [];
  for (const marker of [...markers].sort((one, other) => one.at - other.at)) {
    const last = groups.at(-1);
    if (last && marker.at - (last[0]?.at ?? 0) < nearMs) last.push(marker);
    else groups.push([marker]);
  }
  return groups;
}

const markerText = (group: readonly Marker[]) => {
  const [first] = group;
  const when = exactTime(first?.at ?? 0);
  return group.length === 1
    ? chartText.deployed(first?.title ?? '', when)
    : chartText.deployments(group.length, when);
};

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** For a period of more than two days the date, for one of minutes also the seconds. */
const shortTime = (at: number, spanMs: number) =>
  spanMs > 2 * dayMs ? dateText(at) : spanMs < hourMs / 6 ? clockTime(at) : clockTime(at).slice(0, 5);

/** The last step with a measured value. */
const lastKnown = (lines: readonly Line[]): number =>
  Math.max(0, ...lines.map(({ average }) => average.findLastIndex((value) => value !== null)));
