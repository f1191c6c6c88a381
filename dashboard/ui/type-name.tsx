/** Asks before an action that can't be undone or loses data: the user types the name of its object. */
import { createSignal, type JSX } from 'solid-js';
import { t } from '../text/text.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface TypeNameProps {
  title: string;
  help: string;
  /** The name to type. */
  name: string;
  submit: string;
  /** Content above the name, such as a choice. */
  children?: JSX.Element;
  onClose(): void;
  onConfirm(): void;
}

export function TypeName(props: TypeNameProps) {
  const [typed, setTyped] = createSignal('');
  const isRight = () => typed().trim() === props.name.trim();
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isRight()) return;
          props.onClose();
          props.onConfirm();
        }}
      >
        <p>{props.help}</p>
        {props.children}
        <label>
          <span>{t.typeName(props.name)}</span>
          <input
            type="text"
            autofocus
            autocomplete="off"
            spellcheck={false}
            value={typed()}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <footer class="actions end">
          <Button onClick={props.onClose}>{t.cancel}</Button>
          <Button kind="danger" type="submit" disabled={!isRight()}>
            {props.submit}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
