/** Commands of the page that is shown, for the palette. A page adds its own while it is there. */
import { createSignal, onCleanup, onMount } from 'solid-js';

export interface Command {
  label: string;
  /** Beside the label: what it acts on. */
  detail?: string;
  run(): void;
}

const [sources, setSources] = createSignal<readonly (() => readonly Command[])[]>([]);

/** Adds commands while the calling component is there. */
export function usePageCommands(commands: () => readonly Command[]): void {
  // Once it is shown: an open palette would miss what changes in the middle of a change of rooms.
  onMount(() => setSources((all) => [...all, commands]));
  onCleanup(() => setSources((all) => all.filter((one) => one !== commands)));
}

export const pageCommands = (): Command[] => sources().flatMap((commands) => [...commands()]);

const [upSource, setUpSource] = createSignal<() => string | undefined>(() => undefined);

/** The address one level up from the page that is shown. */
export const up = (): string | undefined => upSource()();

/** Says what is one level up, for `g u`, while the calling component is there. */
export function useUp(path: () => string | undefined): void {
  setUpSource(() => path);
  onCleanup(() => setUpSource((now) => (now === path ? () => undefined : now)));
}
