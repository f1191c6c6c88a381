/** A list whose entries are added and changed in a dialog: its heading, the rows, and the open dialog. */
import { createSignal, type JSX } from 'solid-js';
import { Answer } from '../ui/answer.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { PlusIcon } from '../ui/icons.tsx';
import { Rows } from '../ui/rows.tsx';
import { Show } from '../ui/show.ts';
import { usePageCommands } from './commands.ts';

interface EditedListProps<Item> {
  query: Parameters<typeof Answer<readonly Item[]>>[0]['query'];
  title: string;
  help?: string;
  /** True: the list is a whole page, not a part of one. */
  isPage?: boolean;
  mayEdit: boolean;
  /** Label of the button that adds an entry. Absent: no button. */
  add?: string;
  none: { title: string; help: string };
  class?: string;
  /** Filters the shown entries; absent: all are shown. */
  only?(item: Item): boolean;
  row(item: () => Item, edit: () => void): JSX.Element;
  /** @param item undefined: a new entry */
  dialog(item: Item | undefined, close: () => void): JSX.Element;
}

interface Entry<Item> {
  id: string;
  item: Item;
}

export function EditedList<Item extends { id: string }>(props: EditedListProps<Item>) {
  const [edited, setEdited] = createSignal<{ item: Item | undefined }>();
  const add = () => setEdited({ item: undefined });
  usePageCommands(() => (props.mayEdit && props.add ? [{ label: props.add, run: add }] : []));
  const shown = (all: readonly Item[]): Entry<Item>[] =>
    all.filter((item) => props.only?.(item) ?? true).map((item) => ({ id: item.id, item }));
  const words = () => (
    <div>
      <Show when={props.isPage} fallback={<h2>{props.title}</h2>}>
        <h1>{props.title}</h1>
      </Show>
      <Show when={props.help}>
        <p class="quiet-text">{props.help}</p>
      </Show>
    </div>
  );
  const button = () => (
    <Show when={props.mayEdit && props.add}>
      <div class="actions">
        <Button kind="primary" icon={PlusIcon} onClick={add}>
          {props.add}
        </Button>
      </div>
    </Show>
  );
  return (
    <section class="stack">
      <header class={props.isPage ? 'page-head' : 'toolbar'}>
        {words()}
        {button()}
      </header>
      <Answer query={props.query} lines={2}>
        {(all) => (
          <ul class={`lines ${props.class ?? ''}`}>
            <Rows
              each={shown(all())}
              fallback={<Empty title={props.none.title} help={props.none.help} inList />}
            >
              {(entry) =>
                props.row(
                  () => entry().item,
                  () => setEdited({ item: entry().item }),
                )
              }
            </Rows>
          </ul>
        )}
      </Answer>
      <Show when={edited()} keyed>
        {({ item }) => props.dialog(item, () => setEdited(undefined))}
      </Show>
    </section>
  );
}
