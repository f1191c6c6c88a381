/** The bundle for the test of `<Show>`: Solid as in browsers, with its own `<Show>` and the dashboard's. */

export { createRoot, createSignal, Show as solids, startTransition } from 'solid-js';
export { Show as ours } from '../../../dashboard/ui/show.ts';
