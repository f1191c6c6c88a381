/** Creates a mounted file, or changes one. */
import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import { variablesText } from '../../../text/service-text.ts';
import { CheckField, TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { say } from '../../../ui/toasts.tsx';
import type { MountedFile } from './resources.ts';
import { filesText } from './resources-text.ts';

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
      title={file ? variablesText.edit(file.path) : filesText.add}
      wide
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <TextField
        label={filesText.path}
        help={filesText.pathHelp}
        mono
        required
        autofocus
        disabled={file !== undefined}
        failure={failureAt('path')}
        value={path()}
        onInput={setPath}
      />
      <TextField
        label={filesText.content}
        mono
        rows={rows}
        failure={failureAt('content')}
        value={content()}
        onInput={setContent}
      />
      <TextField
        label={filesText.mode}
        help={filesText.modeHelp}
        mono
        required
        failure={failureAt('mode')}
        value={mode()}
        onInput={setMode}
      />
      <CheckField
        label={variablesText.secret}
        help={variablesText.secretHelp}
        checked={isSecret()}
        onInput={setIsSecret}
      />
    </FormDialog>
  );
}
