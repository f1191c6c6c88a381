/** The two buttons at the end of a row. A removal needs a confirmation. */
import { createSignal } from 'solid-js';
import { variablesText } from '../text/service-text.ts';
import { Button } from './button.tsx';
import { Confirm } from './dialog.tsx';
import { EditIcon, TrashIcon } from './icons.tsx';
import { Show } from './show.ts';

interface EditAndRemoveProps {
  /** The name of the row's subject, for screen readers and for the question. */
  name: string;
  /** The consequences of a removal. */
  removeHelp: string;
  /** Absent: only removing is possible. */
  onEdit?: (() => void) | undefined;
  onRemove(): void;
}

export function EditAndRemove(props: EditAndRemoveProps) {
  const [isRemoving, setIsRemoving] = createSignal(false);
  return (
    <>
      <Show when={props.onEdit}>
        {(edit) => (
          <Button
            kind="quiet"
            class="small"
            icon={EditIcon}
            aria-label={variablesText.edit(props.name)}
            onClick={() => edit()()}
          />
        )}
      </Show>
      <Button
        kind="quiet"
        class="small"
        icon={TrashIcon}
        aria-label={variablesText.remove(props.name)}
        onClick={() => setIsRemoving(true)}
      />
      <Show when={isRemoving()}>
        <Confirm
          title={variablesText.removeTitle(props.name)}
          help={props.removeHelp}
          submit={variablesText.removeSubmit}
          danger
          onClose={() => setIsRemoving(false)}
          onConfirm={() => props.onRemove()}
        />
      </Show>
    </>
  );
}
