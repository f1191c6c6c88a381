/** What a service does while its volumes are copied, and the two commands for programs that can pause. */

import { ChoiceField, TextField } from '../../../ui/field.tsx';
import { Show } from '../../../ui/show.ts';
import { backupsText } from '../backups-text.ts';
import type { Quiesce } from './backup.ts';

export interface QuiesceDraft {
  quiesce: Quiesce;
  before: string;
  after: string;
}

interface QuiesceFieldsProps {
  draft: QuiesceDraft;
  failureAt(field: string): string | undefined;
  onChange(part: Partial<QuiesceDraft>): void;
}

const modes = Object.keys(backupsText.quiesceChoices) as Quiesce[];

export function QuiesceFields(props: QuiesceFieldsProps) {
  return (
    <>
      <ChoiceField
        label={backupsText.quiesce}
        help={backupsText.quiesceHelp[props.draft.quiesce]}
        failure={props.failureAt('quiesce')}
        value={props.draft.quiesce}
        choices={modes.map((value) => ({ value, text: backupsText.quiesceChoices[value] }))}
        onInput={(text) => props.onChange({ quiesce: modes.find((one) => one === text) ?? 'none' })}
      />
      <Show when={props.draft.quiesce === 'command'}>
        <TextField
          label={backupsText.before}
          mono
          required
          failure={props.failureAt('before')}
          value={props.draft.before}
          onInput={(before) => props.onChange({ before })}
        />
        <TextField
          label={backupsText.after}
          help={backupsText.afterHelp}
          mono
          required
          failure={props.failureAt('after')}
          value={props.draft.after}
          onInput={(after) => props.onChange({ after })}
        />
      </Show>
    </>
  );
}

/** The fields for a request body. The commands are included only for `command`. */
export const quiesceBody = ({ quiesce, before, after }: QuiesceDraft) =>
  quiesce === 'command' ? { quiesce, before, after } : { quiesce };
