/** Conditions for the shown rows. They are in the page's address, so that a link shows the same rows. */
import { createEffect, createSignal, For, on } from 'solid-js';
import { Button } from '../../../ui/button.tsx';
import { CloseIcon, PlusIcon } from '../../../ui/icons.tsx';
import { Show } from '../../../ui/show.ts';
import { dataText } from './database-text.ts';
import { type Column, type Condition, conditions, type Filter } from './table-types.ts';

interface FilterBarProps {
  columns: readonly Column[];
  filters: readonly Filter[];
  onApply(filters: readonly Filter[]): void;
}

const needsValue = ({ condition }: Filter) => condition !== 'null' && condition !== 'notNull';

export function FilterBar(props: FilterBarProps) {
  const [drafts, setDrafts] = createSignal<readonly Filter[]>(props.filters);
  createEffect(
    on(
      () => JSON.stringify(props.filters),
      () => setDrafts(props.filters),
      { defer: true },
    ),
  );
  const change = (at: number, part: Partial<Filter>) =>
    setDrafts((all) => all.map((one, index) => (index === at ? { ...one, ...part } : one)));
  const add = () =>
    setDrafts((all) => [...all, { column: props.columns[0]?.name ?? '', condition: 'is', value: '' }]);
  const remove = (at: number) => {
    const left = drafts().filter((_, index) => index !== at);
    setDrafts(left);
    props.onApply(left);
  };
  return (
    <form
      class="filter-bar"
      onSubmit={(event) => {
        event.preventDefault();
        props.onApply(drafts());
      }}
    >
      {/* Keyed by index: an edited condition keeps its element and the focus. */}
      <For each={Array.from(drafts().keys())}>
        {(at) => {
          const draft = () => drafts()[at] as Filter;
          return (
            <div class="condition">
              <select
                aria-label={dataText.column}
                value={draft()?.column}
                onInput={(event) => change(at, { column: event.currentTarget.value })}
              >
                <For each={props.columns}>
                  {({ name }) => <option selected={name === draft()?.column}>{name}</option>}
                </For>
              </select>
              <select
                aria-label={dataText.condition}
                value={draft()?.condition}
                onInput={(event) => change(at, { condition: event.currentTarget.value as Condition })}
              >
                <For each={conditions}>
                  {(one) => <option value={one}>{dataText.conditions[one]}</option>}
                </For>
              </select>
              <Show when={draft() && needsValue(draft())}>
                <input
                  type="text"
                  class="mono"
                  aria-label={dataText.value}
                  autofocus
                  spellcheck={false}
                  autocomplete="off"
                  value={draft()?.value}
                  onInput={(event) => change(at, { value: event.currentTarget.value })}
                />
              </Show>
              <Button
                kind="quiet"
                class="small"
                icon={CloseIcon}
                aria-label={dataText.removeFilter}
                onClick={() => remove(at)}
              />
            </div>
          );
        }}
      </For>
      <Button kind="quiet" class="small" icon={PlusIcon} onClick={add}>
        {dataText.addFilter}
      </Button>
      <Show when={drafts().length > 0}>
        <Button class="small" type="submit">
          {dataText.apply}
        </Button>
      </Show>
    </form>
  );
}
