/** Whether long lines of logs are wrapped, and the resulting positions of rows. */
import { createEffect, createMemo, createRoot, createSignal, on } from 'solid-js';
import type { Line } from './line.ts';
import { type RowPlaces, rowHeight, rowPlaces } from './row-places.ts';

/** One state for all logs, until the page is closed. */
const [isWrapped, setIsWrapped] = createRoot(() =>
  // A line of a phone has no room for more than its first words.
  createSignal(matchMedia('(max-width: 640px)').matches),
);

export { isWrapped, setIsWrapped };

/** Number of characters in the probe. */
export const probeChars = 100;

export interface Wrapping {
  places(): RowPlaces;
  /** Measures how many columns fit, with a row of {@link probeChars} characters and its text. */
  measureColumns(row: HTMLElement, text: HTMLElement): void;
  /** Measures visible rows whose heights are only estimated. */
  measureRows(elements: Iterable<HTMLElement>, first: number): void;
}

export function createWrapping(rows: () => readonly Line[]): Wrapping {
  const [columns, setColumns] = createSignal(80);
  const [measured, setMeasured] = createSignal<ReadonlyMap<number, number>>(new Map());
  const places = createMemo(
    () => rowPlaces(rows(), isWrapped() ? columns() : undefined, measured()),
    undefined,
    { equals: false },
  );
  createEffect(on(columns, () => setMeasured(new Map()), { defer: true }));
  return {
    places,
    measureColumns(row, text) {
      const { width } = text.getBoundingClientRect();
      const style = getComputedStyle(row);
      const room =
        row.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
      if (width > 0 && room > 0) setColumns(Math.max(10, Math.floor((room * probeChars) / width + 0.01)));
    },
    measureRows(elements, first) {
      if (!isWrapped()) return;
      const wrong = [...elements].flatMap((element, place): [number, number][] => {
        const line = rows()[first + place];
        if (!line || !places().isGuess(first + place)) return [];
        return [[line.id, Math.max(1, Math.round(element.offsetHeight / rowHeight))]];
      });
      if (wrong.length > 0) setMeasured((before) => new Map([...before, ...wrong]));
    },
  };
}
