/** The time limit of a command in seconds, as a text field. */
import { t } from '../../text/text.ts';
import { TextField } from '../../ui/field.tsx';

/** The API's default. */
const usualSeconds = 3_600;

export const limitText = (seconds: number | undefined): string => String(seconds ?? usualSeconds);

export const TimeLimitField = (props: {
  value: string;
  failure: string | undefined;
  onInput(text: string): void;
}) => (
  <TextField
    label={t.commands.limit}
    help={t.commands.limitHelp}
    type="number"
    required
    failure={props.failure}
    value={props.value}
    onInput={props.onInput}
  />
);
