/** The control of one setting, edited as text whatever its kind is. */
import { Match, Switch } from 'solid-js';
import { CheckField, ChoiceField, TextField } from './field.tsx';

/** `words`: one word per line; `area`: one text of several lines. */
export type SettingKind = 'text' | 'number' | 'words' | 'check' | 'choice' | 'password' | 'area';

const typeOf = (kind: SettingKind) => (kind === 'number' || kind === 'password' ? kind : 'text');
const rowsOf: Partial<Record<SettingKind, number>> = { words: 3, area: 6 };

interface SettingControlProps {
  label: string;
  help?: string | undefined;
  kind: SettingKind;
  choices?: readonly { value: string; text: string }[];
  mono?: boolean;
  required?: boolean | undefined;
  disabled?: boolean;
  autofocus?: boolean;
  failure: string | undefined;
  value: string;
  onInput(text: string): void;
}

export function SettingControl(props: SettingControlProps) {
  return (
    <Switch
      fallback={
        <TextField
          label={props.label}
          help={props.help}
          type={typeOf(props.kind)}
          mono={props.mono === true}
          {...(rowsOf[props.kind] ? { rows: rowsOf[props.kind] ?? 0 } : {})}
          required={props.required}
          disabled={props.disabled}
          autofocus={props.autofocus === true}
          failure={props.failure}
          value={props.value}
          onInput={props.onInput}
        />
      }
    >
      <Match when={props.kind === 'check'}>
        <CheckField
          label={props.label}
          help={props.help}
          disabled={props.disabled}
          failure={props.failure}
          checked={props.value === 'true'}
          onInput={(checked) => props.onInput(String(checked))}
        />
      </Match>
      <Match when={props.kind === 'choice'}>
        <ChoiceField
          label={props.label}
          help={props.help}
          choices={props.choices ?? []}
          disabled={props.disabled}
          failure={props.failure}
          value={props.value}
          onInput={props.onInput}
        />
      </Match>
    </Switch>
  );
}
