/** A list whose rows survive a renewal: each row keeps its elements, focus and open parts as long as its id exists. */
import { createMemo, For, type JSX } from 'solid-js';
import { Show } from './show.ts';

interface RowsProps<Item> {
  each: readonly Item[];
  fallback?: JSX.Element;
  /** The key of a row; absent: its id. */
  by?: ((item: Item) => string) | undefined;
  children(item: () => Item): JSX.Element;
}

export function Rows<Item>(
  props: RowsProps<Item> & (Item extends { id: string } ? unknown : { by(item: Item): string }),
) {
  const nameOf = (item: Item) => props.by?.(item) ?? (item as { id: string }).id;
  const byId = createMemo(() => new Map(props.each.map((item) => [nameOf(item), item])));
  return (
    <For each={[...byId().keys()]} fallback={props.fallback}>
      {(id) => <Show when={byId().get(id)}>{(item) => props.children(item)}</Show>}
    </For>
  );
}
