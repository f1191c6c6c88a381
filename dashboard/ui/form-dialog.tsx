/** A dialog with one form: its fields, then the buttons to cancel and to save. */
import type { JSX } from 'solid-js';
import { serviceSettingsText } from '../text/service-settings-text.ts';
import { t } from '../text/text.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface FormDialogProps {
  title: string;
  wide?: boolean;
  /** Label of the button that saves. */
  submitLabel?: string;
  isBusy: boolean;
  /** @returns whether it was saved; then the dialog closes */
  submit(): Promise<boolean>;
  onClose(): void;
  children: JSX.Element;
}

export function FormDialog(props: FormDialogProps) {
  const submit = async () => {
    if (await props.submit()) props.onClose();
  };
  return (
    <Dialog title={props.title} wide={props.wide === true} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {props.children}
        <footer class="actions end">
          <Button onClick={props.onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit" busy={props.isBusy}>
            {props.submitLabel ?? serviceSettingsText.save}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
