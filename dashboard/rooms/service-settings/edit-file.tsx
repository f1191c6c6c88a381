/** Creates a mounted file, or changes one. */
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { createSaving } from '../../ui/saving.ts';
import { say } from '../../ui/toasts.tsx';
import type { MountedFile } from './resources.ts';

interface EditFileProps {
  serviceId: string;
  /** Undefined: a new one. */
  file: MountedFile | undefined;
  onSaved(): void;
  onClose(): void;
}

const rows = 10;

export function EditFile(props: EditFileProps) {
  const { file } = props;
  const [path, setPath] = createSignal(file?.path ?? '');
  const [content, setContent] = createSignal(file?.content ?? '');
  const [isSecret, setIsSecret] = createSignal(file?.secret ?? true);
  const [mode, setMode] = createSignal(file?.mode ?? '0444');
  const { isBusy, failureAt, save } = createSaving((name) => ['path', 'content', 'mode'].includes(name));
  const submit = async () => {
    const body = { path: path(), content: content(), secret: isSecret(), mode: mode() };
    const isSaved = await save(async () => {
      const params = { serviceId: props.serviceId };
      say((await api.call('PUT /api/services/:serviceId/files', { params, body })).detail);
    });
    if (!isSaved) return;
    props.onSaved();
    props.onClose();
  };
  return (
    <Dialog title={file ? t.variables.edit(file.path) : t.files.add} wide onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TextField
          label={t.files.path}
          help={t.files.pathHelp}
          mono
          required
          autofocus
          disabled={file !== undefined}
          failure={failureAt('path')}
          value={path()}
          onInput={setPath}
        />
        <TextField
          label={t.files.content}
          mono
          rows={rows}
          failure={failureAt('content')}
          value={content()}
          onInput={setContent}
        />
        <TextField
          label={t.files.mode}
          help={t.files.modeHelp}
          mono
          required
          failure={failureAt('mode')}
          value={mode()}
          onInput={setMode}
        />
        <CheckField
          label={t.variables.secret}
          help={t.variables.secretHelp}
          checked={isSecret()}
          onInput={setIsSecret}
        />
        <footer class="actions end">
          <Button onClick={props.onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit" busy={isBusy()}>
            {t.serviceSettings.save}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
