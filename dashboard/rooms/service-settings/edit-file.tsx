/** Creates a mounted file, or changes one. */
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import { t } from '../../text/text.ts';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
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
  const submit = () =>
    save(async () => {
      const params = { serviceId: props.serviceId };
      const body = { path: path(), content: content(), secret: isSecret(), mode: mode() };
      say((await api.call('PUT /api/services/:serviceId/files', { params, body })).detail);
      props.onSaved();
    });
  return (
    <FormDialog
      title={file ? t.variables.edit(file.path) : t.files.add}
      wide
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
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
    </FormDialog>
  );
}
