/** The time limit of a command in seconds, as a text field. */

import { TextField } from '../../../ui/field.tsx';
import { commandsText } from './commands-text.ts';

/** The API's default. */
const usualSeconds = 3_600;

export const limitText = (seconds: number | undefined): string => String(seconds ?? usualSeconds);

export const TimeLimitField = (props: {
  value: string;
  failure: string | undefined;
  onInput(text: string): void;
}) => (
  <TextField
    label={commandsText.limit}
    help={commandsText.limitHelp}
    type="number"
    required
    failure={props.failure}
    value={props.value}
    onInput={props.onInput}
  />
);
