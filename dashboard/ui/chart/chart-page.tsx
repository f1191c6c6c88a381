/** What pages with charts share: the time in the address, its choice, and the pointer. */
import { useSearchParams } from '@solidjs/router';
import { keepPreviousData } from '@tanstack/solid-query';
import type { Accessor, ComponentProps, JSX } from 'solid-js';
import '../../styles/metrics.css';
import { Answer } from '../answer.tsx';
import { Refreshed } from '../refreshed.tsx';
import { parametersOf, type Range, type RangeParameters, rangeOf } from './chart-range.ts';
import { chartText } from './chart-text.ts';
import { type ChartPointer, createPointer } from './pointer.ts';
import { RangeBar } from './range-bar.tsx';

/** Number of points in a chart: about one per two pixels. */
export const pointsOfChart = 360;
/** A host measures every ten seconds; a visible page polls every third time. */
const renewedMs = 30_000;

/** Settings of a query of metrics: only a time up to now is asked for again. */
export const renewed = (range: Range) => ({
  placeholderData: keepPreviousData,
  refetchInterval: 'last' in range ? renewedMs : (false as const),
});

/** The time of the charts, kept in the address, so that a link shows the same. */
export function useRange(): [Accessor<Range>, (range: Range) => void] {
  const [address, setAddress] = useSearchParams<RangeParameters>();
  return [() => rangeOf(address as RangeParameters), (range) => setAddress(parametersOf(range))];
}

interface ChartPageProps<Data> {
  range: Range;
  setRange(range: Range): void;
  query: ComponentProps<typeof Answer<Data>>['query'] & ComponentProps<typeof Refreshed>['query'];
  /** A click on a chart opens the logs of that moment. */
  opens?: boolean;
  children(data: Accessor<Data>, pointer: ChartPointer): JSX.Element;
}

export function ChartPage<Data>(props: ChartPageProps<Data>) {
  const pointer = createPointer();
  return (
    <div class="stack">
      <div class="toolbar">
        <RangeBar range={props.range} choose={props.setRange} />
        <span class="quiet-text hint">{props.opens ? chartText.hintOpen : chartText.hint}</span>
        <Refreshed query={props.query} />
      </div>
      <Answer query={props.query} lines={8}>
        {(data) => props.children(data, pointer)}
      </Answer>
    </div>
  );
}
