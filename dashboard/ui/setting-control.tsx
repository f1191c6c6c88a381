/** The control of one setting, which is edited as a text whatever its kind is. */
import { Match, Switch } from 'solid-js';
import { CheckField, ChoiceField, TextField } from './field.tsx';

interface SettingControlProps {
  label: string;
  help?: string | undefined;
  /** `words`: one on each line. */
  kind: 'text' | 'number' | 'words' | 'check' | 'choice';
  choices?: readonly { value: string; text: string }[];
  mono?: boolean;
  required?: boolean | undefined;
  disabled?: boolean;
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
          type={props.kind === 'number' ? 'number' : 'text'}
          mono={props.mono === true}
          {...(props.kind === 'words' ? { rows: 3 } : {})}
          required={props.required}
          disabled={props.disabled}
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
