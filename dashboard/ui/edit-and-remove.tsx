/** The two buttons at the end of a row. */
import { t } from '../text/text.ts';
import { Button } from './button.tsx';
import { EditIcon, TrashIcon } from './icons.tsx';

interface EditAndRemoveProps {
  /** What the row is about, for screen readers. */
  name: string;
  onEdit(): void;
  onRemove(): void;
}

export function EditAndRemove(props: EditAndRemoveProps) {
  return (
    <>
      <Button
        kind="quiet"
        class="small"
        icon={EditIcon}
        aria-label={t.variables.edit(props.name)}
        onClick={() => props.onEdit()}
      />
      <Button
        kind="quiet"
        class="small"
        icon={TrashIcon}
        aria-label={t.variables.remove(props.name)}
        onClick={() => props.onRemove()}
      />
    </>
  );
}
