/** Names that were added, changed or removed between two versions, each with its kind of change. */
import { For } from 'solid-js';
import { Show } from '../../../ui/show.ts';
import { comparisonText } from '../comparison-text.ts';

interface ChangedNamesProps {
  title: string;
  names: Readonly<Record<Kind, readonly string[]>>;
  /** The text if nothing differs. Absent: nothing is shown. */
  none?: string;
}

const kinds = ['added', 'changed', 'removed'] as const;
type Kind = (typeof kinds)[number];

export function ChangedNames(props: ChangedNamesProps) {
  const all = () => kinds.flatMap((kind) => props.names[kind].map((name) => ({ kind, name })));
  return (
    <Show
      when={all().length > 0}
      fallback={
        <Show when={props.none}>
          <p class="quiet-text">{props.none}</p>
        </Show>
      }
    >
      <section>
        <h3>{props.title}</h3>
        <ul class="changes" aria-label={props.title}>
          <For each={all()}>
            {({ kind, name }) => (
              <li>
                <code>{name}</code>
                <span class={`tag change-${kind}`}>{comparisonText.kinds[kind]}</span>
              </li>
            )}
          </For>
        </ul>
      </section>
    </Show>
  );
}
