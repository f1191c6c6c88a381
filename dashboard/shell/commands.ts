/** Commands of the current page for the palette. A page adds its own commands while it is shown. */
import { createSignal, onCleanup, onMount } from 'solid-js';

export interface Command {
  label: string;
  /** Shown next to the label: the object of the command. */
  detail?: string;
  run(): void;
}

const [sources, setSources] = createSignal<readonly (() => readonly Command[])[]>([]);

/** Adds commands while the calling component is mounted. */
export function usePageCommands(commands: () => readonly Command[]): void {
  // After mounting: an open palette would miss changes during a change of pages.
  onMount(() => setSources((all) => [...all, commands]));
  onCleanup(() => setSources((all) => all.filter((one) => one !== commands)));
}

export const pageCommands = (): Command[] => sources().flatMap((commands) => [...commands()]);

const [upSource, setUpSource] = createSignal<() => string | undefined>(() => undefined);

/** The address one level above the current page. */
export const up = (): string | undefined => upSource()();

/** Sets the address one level up, for `g u`, while the calling component is mounted. */
export function useUp(path: () => string | undefined): void {
  setUpSource(() => path);
  onCleanup(() => setUpSource((now) => (now === path ? () => undefined : now)));
}
