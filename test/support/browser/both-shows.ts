/** What the test of `<Show>` bundles: Solid as browsers run it, with its own `<Show>` and the dashboard's. */

export { createRoot, createSignal, Show as solids, startTransition } from 'solid-js';
export { Show as ours } from '../../../dashboard/ui/show.ts';
