/** The databases that a source wants: one of the project, a new one with one click, or none. */
import { For } from 'solid-js';
import { newServiceText as texts } from '../../../text/new-service-text.ts';
import { Show } from '../../../ui/show.ts';
import type { Plan } from './plan-types.ts';

/** `new`, the id of a database, or none. */
export type DatabaseChoice = string;
export const noDatabase: DatabaseChoice = '';
type Wanted = Plan['databases'][number];

interface Props {
  databases: readonly Wanted[];
  chosen: Readonly<Record<string, DatabaseChoice>>;
  onChosen(engine: string, choice: DatabaseChoice): void;
}

export function WantedDatabases(props: Props) {
  return (
    <Show when={props.databases.length > 0}>
      <section class="panel stack">
        <h2>{texts.databases}</h2>
        <For each={props.databases}>
          {(one) => (
            <fieldset class="database">
              <legend>
                {texts.databaseWanted(one.title)} <small class="quiet-text">{texts.why(one.why)}</small>
              </legend>
              <div class="chips">
                <For each={choicesOf(one)}>
                  {({ value, text }) => (
                    <button
                      type="button"
                      class="chip"
                      aria-pressed={props.chosen[one.engine] === value}
                      onClick={() => props.onChosen(one.engine, value)}
                    >
                      {text}
                    </button>
                  )}
                </For>
              </div>
            </fieldset>
          )}
        </For>
      </section>
    </Show>
  );
}

const choicesOf = ({ existing, create }: Wanted): { value: DatabaseChoice; text: string }[] => [
  ...existing.map(({ serviceId, name }) => ({ value: serviceId, text: texts.useDatabase(name) })),
  { value: 'new', text: texts.newDatabase(create.name) },
  { value: noDatabase, text: texts.noDatabase },
];
