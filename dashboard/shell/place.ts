/** The project that the shown page belongs to, for the side bar. */
import { createSignal, onCleanup } from 'solid-js';

const [source, setSource] = createSignal<() => string | undefined>(() => undefined);

/** Id of the project; undefined on pages outside of projects, and until it is known. */
export const projectHere = (): string | undefined => source()();

/** Names the project of the page while the calling component is mounted. */
export function useProjectHere(projectId: () => string | undefined): void {
  setSource(() => projectId);
  onCleanup(() => setSource((now) => (now === projectId ? () => undefined : now)));
}
