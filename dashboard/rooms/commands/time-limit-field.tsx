/** How long a command may run, in seconds, as it is typed. */
import { t } from '../../text/text.ts';
import { TextField } from '../../ui/field.tsx';

/** What the API takes if none is given. */
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
