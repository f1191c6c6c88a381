/** The rows of a statement as a chart. The table beside it has the same in numbers. */
import { For } from 'solid-js';
import { Show } from '../../../../ui/show.ts';
import { queryText } from '../database-text.ts';
import type { ResultChart } from './result-chart.ts';

const size = { width: 1000, height: 280 } as const;

export function ResultChartView(props: { chart: ResultChart }) {
  const all = () => props.chart.series.flatMap(({ values }) => values.filter((value) => value !== null));
  const highest = () => Math.max(0, ...all());
  const lowest = () => Math.min(0, ...all());
  const span = () => highest() - lowest() || 1;
  const y = (value: number) => size.height * (1 - (value - lowest()) / span());
  const count = () => props.chart.labels.length;
  const slot = () => size.width / count();
  const line = (values: readonly (number | null)[]) =>
    values
      .map((value, index) =>
        value === null
          ? ''
          : `${index === 0 || values[index - 1] === null ? 'M' : 'L'}${((index + 0.5) * slot()).toFixed(1)} ${y(value).toFixed(1)}`,
      )
      .join('');
  const bars = (values: readonly (number | null)[], at: number) => {
    const width = (slot() * 0.8) / props.chart.series.length;
    return values
      .map((value, index) => {
        if (value === null) return '';
        const left = index * slot() + slot() * 0.1 + at * width;
        return `M${left.toFixed(1)} ${y(0).toFixed(1)}V${y(value).toFixed(1)}h${Math.max(1, width - 2).toFixed(1)}V${y(0).toFixed(1)}Z`;
      })
      .join('');
  };
  const format = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 4 });
  return (
    <figure class="result-chart">
      <figcaption>
        <For each={props.chart.series}>
          {({ name }, index) => <span class={`key-${index()}`}>{name}</span>}
        </For>
        <span class="quiet-text">{queryText.chartRange(format(lowest()), format(highest()))}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={queryText.chartLabel(props.chart.series.map(({ name }) => name).join(', '), count())}
        viewBox={`0 0 ${size.width} ${size.height}`}
        preserveAspectRatio="none"
      >
        <path class="zero" d={`M0 ${y(0)}H${size.width}`} />
        <For each={props.chart.series}>
          {({ values }, index) => (
            <path
              class={`${props.chart.kind} key-${index()}`}
              d={props.chart.kind === 'bars' ? bars(values, index()) : line(values)}
            />
          )}
        </For>
      </svg>
      <Show
        when={props.chart.kind === 'bars'}
        fallback={
          <p class="result-ends quiet-text">
            <span>{props.chart.labels[0]}</span>
            <span>{props.chart.labels.at(-1)}</span>
          </p>
        }
      >
        <ol class="result-labels quiet-text">
          <For each={props.chart.labels}>{(label) => <li title={label}>{label}</li>}</For>
        </ol>
      </Show>
    </figure>
  );
}
