/** What all charts of a page share: the moment under the pointer, and the part of the time that is being chosen. */
import { createSignal } from 'solid-js';

export interface Chosen {
  from: number;
  to: number;
}

export interface ChartPointer {
  /** Epoch milliseconds; undefined: the pointer is elsewhere. */
  at(): number | undefined;
  setAt(at: number | undefined): void;
  chosen(): Chosen | undefined;
  setChosen(chosen: Chosen | undefined): void;
}

export function createPointer(): ChartPointer {
  const [at, setAt] = createSignal<number>();
  const [chosen, setChosen] = createSignal<Chosen>();
  return { at, setAt, chosen, setChosen };
}
