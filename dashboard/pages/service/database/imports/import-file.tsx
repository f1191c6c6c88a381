/** Asks before a file is imported: shows its kind, and asks whether it may replace the data of the database. */
import { createSignal } from 'solid-js';
import type { Overview } from '../../../../api/queries.ts';
import { t } from '../../../../text/text.ts';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Show } from '../../../../ui/show.ts';
import { sizeText } from '../../../../ui/size.ts';
import { importsText } from '../imports-text.ts';
import type { Engine } from '../table-types.ts';
import { fileRefusal } from './file-kind.ts';
import { sendFile } from './uploads.ts';

interface ImportFileProps {
  file: File;
  engine: Engine;
  service: Overview['service'];
  onClose(): void;
}

export function ImportFile(props: ImportFileProps) {
  const [refusal, setRefusal] = createSignal<string>();
  const [isRead, setIsRead] = createSignal(false);
  const [replace, setReplace] = createSignal(false);
  const [typed, setTyped] = createSignal('');
  void fileRefusal(props.engine, props.file)
    .catch(() => importsText.unreadable)
    .then((sentence) => {
      setRefusal(sentence);
      setIsRead(true);
    });
  const mayStart = () =>
    isRead() && refusal() === undefined && (!replace() || typed().trim() === props.service.name.trim());
  return (
    <Dialog title={importsText.importTitle(props.service.name)} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!mayStart()) return;
          void sendFile(props.service.id, props.file, replace());
          props.onClose();
        }}
      >
        <div>
          <p>
            <strong>{importsText.file}:</strong> <code>{props.file.name}</code> ({sizeText(props.file.size)})
          </p>
          <Show when={refusal()}>
            {(sentence) => (
              <p class="field-failure" role="alert">
                {sentence()}
              </p>
            )}
          </Show>
        </div>
        <p class="quiet-text">{importsText.help}</p>
        <Show when={refusal() === undefined}>
          <label class="check">
            <input
              type="checkbox"
              checked={replace()}
              onChange={(event) => setReplace(event.currentTarget.checked)}
            />
            <span>{importsText.replace}</span>
          </label>
          <Show when={replace()}>
            <label>
              <span>{t.typeName(props.service.name)}</span>
              <input
                type="text"
                autocomplete="off"
                spellcheck={false}
                value={typed()}
                onInput={(event) => setTyped(event.currentTarget.value)}
              />
            </label>
          </Show>
        </Show>
        <footer class="actions end">
          <Button onClick={props.onClose}>{t.cancel}</Button>
          <Button kind={replace() ? 'danger' : 'primary'} type="submit" disabled={!mayStart()}>
            {importsText.start}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
