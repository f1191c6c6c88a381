/** A list whose rows stay when it is renewed: each keeps its elements, its focus and what is open in it as long as its id is there. */
import { createMemo, For, type JSX } from 'solid-js';
import { Show } from './show.ts';

interface RowsProps<Item> {
  each: readonly Item[];
  fallback?: JSX.Element;
  /** What names a row; absent: its id. */
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
