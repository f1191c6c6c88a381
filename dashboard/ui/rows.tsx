/** A list whose rows stay when it is renewed: each keeps its elements, its focus and what is open in it as long as its id is there. */
import { createMemo, For, type JSX, Show } from 'solid-js';

interface RowsProps<Item> {
  each: readonly Item[];
  fallback?: JSX.Element;
  children(item: () => Item): JSX.Element;
}

export function Rows<Item extends { id: string }>(props: RowsProps<Item>) {
  const byId = createMemo(() => new Map(props.each.map((item) => [item.id, item])));
  return (
    <For each={[...byId().keys()]} fallback={props.fallback}>
      {(id) => <Show when={byId().get(id)}>{(item) => props.children(item)}</Show>}
    </For>
  );
}
