/** A new secret, which is shown only once. */
import { drainsText } from '../text/drains-text.ts';
import { Button } from './button.tsx';
import { Copyable } from './copy.tsx';
import { Dialog } from './dialog.tsx';

interface ShownOnceProps {
  title: string;
  help: string;
  /** The kind of secret, for the label of the copy button. */
  what: string;
  secret: string;
  onClose(): void;
}

export function ShownOnce(props: ShownOnceProps) {
  return (
    <Dialog title={props.title} wide onClose={props.onClose}>
      <p>{props.help}</p>
      <Copyable text={props.secret} what={props.what} />
      <footer class="actions end">
        <Button kind="primary" onClick={props.onClose}>
          {drainsText.done}
        </Button>
      </footer>
    </Dialog>
  );
}
