/** The browser's own modal dialog: it keeps the focus inside, closes on Esc, and gives the focus back. */
import { type JSX, onMount } from 'solid-js';
import { t } from '../text/text.ts';
import { Button } from './button.tsx';
import { CloseIcon } from './icons.tsx';
import { DialogToasts } from './toasts.tsx';

interface DialogProps {
  title: string;
  onClose(): void;
  children: JSX.Element;
  wide?: boolean;
}

export function Dialog(props: DialogProps) {
  let dialog: HTMLDialogElement | undefined;
  const opener = document.activeElement;
  onMount(() => dialog?.showModal());
  const closed = () => {
    props.onClose();
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc does what a click on the backdrop does
    <dialog
      ref={dialog}
      class="dialog"
      classList={{ wide: props.wide === true }}
      aria-label={props.title}
      onClose={closed}
      onClick={(event) => event.target === dialog && dialog?.close()}
    >
      <div class="dialog-body">
        <header>
          <h2>{props.title}</h2>
          <button
            type="button"
            class="button quiet small"
            aria-label={t.close}
            onClick={() => dialog?.close()}
          >
            <CloseIcon />
          </button>
        </header>
        {props.children}
      </div>
      <DialogToasts />
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  help: string;
  submit: string;
  danger?: boolean;
  /** More explanation, before the help. */
  children?: JSX.Element;
  onClose(): void;
  onConfirm(): void;
}

/** Asks before an action that affects visitors or data. */
export function Confirm(props: ConfirmProps) {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      {props.children}
      <p>{props.help}</p>
      <footer class="actions end">
        <Button onClick={props.onClose}>{t.cancel}</Button>
        <Button
          kind={props.danger ? 'danger' : 'primary'}
          autofocus
          onClick={() => {
            props.onClose();
            props.onConfirm();
          }}
        >
          {props.submit}
        </Button>
      </footer>
    </Dialog>
  );
}
