/** One chart: lines over time, the limit, and the times of deployments. The pointer shows values. */
import { createMemo, createSignal, For } from 'solid-js';
import { clockTime, dateText, exactTime } from '../../../ui/age.tsx';
import { highestOf, linePath, plotSize, roundEnd, singlePoints, valueText } from '../../../ui/plot.ts';
import { Show } from '../../../ui/show.ts';
import { metricsText } from '../metrics-text.ts';

export interface Line {
  label: string;
  average: readonly (number | null)[];
  maximum: readonly (number | null)[];
}

export interface Marker {
  at: number;
  title: string;
  href: string;
}

interface ChartProps {
  title: string;
  unit: string;
  lines: readonly Line[];
  limit?: number | null;
  from: number;
  stepMs: number;
  markers: readonly Marker[];
}

export function Chart(props: ChartProps) {
  const [hovered, setHovered] = createSignal<number>();
  const count = () => props.lines[0]?.average.length ?? 0;
  const highest = (line: Line) => highestOf(line.maximum);
  const end = createMemo(() => {
    const tops = props.lines.map((line) => highest(line) ?? 0);
    return roundEnd(Math.max(...tops, props.limit ?? 0), props.unit);
  });
  const isEmpty = () => props.lines.every((line) => highest(line) === null);
  const spanMs = () => props.stepMs * Math.max(1, count() - 1);
  const moved = (event: PointerEvent & { currentTarget: Element }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    setHovered(
      Math.max(0, Math.min(count() - 1, Math.round(((event.clientX - left) / width) * (count() - 1)))),
    );
  };
  const shownAt = () => hovered() ?? lastKnown(props.lines);
  const left = (at: number) => `${(100 * (at - props.from)) / spanMs()}%`;
  const label = () =>
    props.lines
      .map((line) =>
        metricsText.summary(
          line.label,
          valueText(line.average[lastKnown(props.lines)], props.unit),
          valueText(highest(line), props.unit),
        ),
      )
      .join('; ');
  return (
    <section class="panel chart">
      <header>
        <h2>{props.title}</h2>
        <span class="quiet-text">
          <Show when={hovered() !== undefined} fallback={metricsText.now}>
            {exactTime(props.from + (hovered() ?? 0) * props.stepMs)}
          </Show>
        </span>
      </header>
      <Show when={!isEmpty()} fallback={<p class="quiet-text nothing-here">{metricsText.nothing}</p>}>
        <div class="plot" onPointerMove={moved} onPointerLeave={() => setHovered(undefined)}>
          <span class="scale">{valueText(end(), props.unit)}</span>
          <svg
            role="img"
            aria-label={label()}
            viewBox={`0 0 ${plotSize.width} ${plotSize.height}`}
            preserveAspectRatio="none"
          >
            <path class="rule" d={`M0 ${plotSize.height / 2}H${plotSize.width}`} />
            <Show when={props.limit}>
              {(limit) => {
                const y = () => plotSize.height * (1 - limit() / end());
                return <path class="limit" d={`M0 ${y()}H${plotSize.width}`} />;
              }}
            </Show>
            <For each={props.lines}>
              {(line, at) => (
                <>
                  <path class={`line line-${at()}`} d={linePath(line.average, end())} />
                  <path class={`single line-${at()}`} d={singlePoints(line.average, end())} />
                </>
              )}
            </For>
          </svg>
          <For each={props.markers}>
            {(marker) => (
              <a
                class="marker"
                style={{ left: left(marker.at) }}
                href={marker.href}
                title={metricsText.deployed(marker.title, exactTime(marker.at))}
              >
                <span class="visually-hidden">
                  {metricsText.deployed(marker.title, exactTime(marker.at))}
                </span>
              </a>
            )}
          </For>
          <Show when={hovered() !== undefined}>
            <span class="cursor" style={{ left: left(props.from + (hovered() ?? 0) * props.stepMs) }} />
          </Show>
        </div>
        <p class="times quiet-text" aria-hidden="true">
          <span>{shortTime(props.from, spanMs())}</span>
          <span>{shortTime(props.from + spanMs(), spanMs())}</span>
        </p>
        <dl class="legend">
          <For each={props.lines}>
            {(line, at) => (
              <div>
                <dt>
                  <span class={`key line-${at()}`} aria-hidden="true" />
                  {line.label}
                </dt>
                <dd>
                  <strong>{valueText(line.average[shownAt()], props.unit)}</strong>{' '}
                  <small class="quiet-text">
                    {metricsText.highest} {valueText(highest(line), props.unit)}
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
                  {metricsText.limit}
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

const dayMs = 86_400_000;
/** For a period of a day or less the time, else the date. */
const shortTime = (at: number, spanMs: number) => (spanMs > dayMs ? dateText(at) : clockTime(at).slice(0, 5));

/** The last step with a measured value. */
const lastKnown = (lines: readonly Line[]): number =>
  Math.max(0, ...lines.map(({ average }) => average.findLastIndex((value) => value !== null)));
