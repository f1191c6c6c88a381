/** The variables that the source reads, as rows to fill in. */
import { For } from 'solid-js';
import { newServiceText as texts } from '../../../text/new-service-text.ts';
import { Show } from '../../../ui/show.ts';
import type { Plan } from './plan-types.ts';

interface Props {
  plan: Plan;
  values: Readonly<Record<string, string>>;
  /** Values that the choice of a database gives. */
  references: ReadonlyMap<string, string>;
  onValue(key: string, value: string): void;
}

type Variable = Plan['variables'][number];

/** More rows that only code reads are folded: many have defaults. */
const codeMax = 8;

export function PlannedVariables(props: Props) {
  const all = () => props.plan.variables.filter((one) => one.of !== 'image');
  const ofImage = () => props.plan.variables.filter((one) => one.of === 'image').map(({ key }) => key);
  /** Keys for databases that the source itself does not name. */
  const added = (): Variable[] =>
    [...props.references.keys()]
      .filter((key) => !all().some((one) => one.key === key))
      .map((key) => ({ key, label: '', places: [], example: null, of: 'code' }));
  const named = () => [...added(), ...all().filter(({ of }) => of !== 'code')];
  const read = () => all().filter(({ of }) => of === 'code');
  const first = () => [...named(), ...(read().length > codeMax ? [] : read())];
  const folded = () => (read().length > codeMax ? read() : []);
  const row = (variable: Variable) => (
    <VariableRow
      variable={variable}
      value={props.values[variable.key] ?? ''}
      reference={props.references.get(variable.key)}
      onValue={(value) => props.onValue(variable.key, value)}
    />
  );
  return (
    <section class="panel stack">
      <h2>{texts.variables}</h2>
      <Show
        when={first().length + folded().length > 0}
        fallback={<p class="quiet-text">{texts.noVariables}</p>}
      >
        <p class="quiet-text">{texts.variablesHelp}</p>
        <div class="variable-rows">
          <For each={first()}>{row}</For>
        </div>
        <Show when={folded().length > 0}>
          <details>
            <summary>{texts.moreVariables(folded().length)}</summary>
            <div class="variable-rows">
              <For each={folded()}>{row}</For>
            </div>
          </details>
        </Show>
      </Show>
      <Show when={ofImage().length > 0}>
        <p class="quiet-text">{texts.ofImage(ofImage().join(', '))}</p>
      </Show>
    </section>
  );
}

function VariableRow(props: {
  variable: Variable;
  value: string;
  reference: string | undefined;
  onValue(value: string): void;
}) {
  const about = () =>
    [props.variable.label, props.variable.places.join(', ')].filter((text) => text !== '').join(' · ');
  return (
    <label class="variable-row">
      <span>
        <code>{props.variable.key}</code>
        <small class="quiet-text">{about()}</small>
      </span>
      <input
        type="text"
        class="mono"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        readonly={props.reference !== undefined}
        title={props.reference && texts.reference}
        value={props.reference ?? props.value}
        onInput={(event) => props.onValue(event.currentTarget.value)}
      />
    </label>
  );
}
