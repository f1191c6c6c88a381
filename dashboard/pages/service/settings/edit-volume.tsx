/** Creates a volume, or changes its name, place and size. */
import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import { variablesText } from '../../../text/service-text.ts';
import { TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { say } from '../../../ui/toasts.tsx';
import type { Volume } from './resources.ts';
import { volumesText } from './resources-text.ts';

interface EditVolumeProps {
  serviceId: string;
  /** Undefined: a new one. */
  volume: Volume | undefined;
  onSaved(): void;
  onClose(): void;
}

export function EditVolume(props: EditVolumeProps) {
  const { volume } = props;
  const [name, setName] = createSignal(volume?.name ?? '');
  const [mountPath, setMountPath] = createSignal(volume?.mountPath ?? '');
  const [sizeMb, setSizeMb] = createSignal(volume?.sizeMb ? String(volume.sizeMb) : '');
  const { isBusy, failureAt, save } = createSaving((one) => ['name', 'mountPath', 'sizeMb'].includes(one));
  const send = () => {
    const body = {
      name: name(),
      mountPath: mountPath(),
      sizeMb: sizeMb().trim() === '' ? null : Number(sizeMb()),
    };
    const params = { serviceId: props.serviceId };
    if (!volume) return api.call('POST /api/services/:serviceId/volumes', { params, body });
    return api.call('PATCH /api/services/:serviceId/volumes/:volumeId', {
      params: { ...params, volumeId: volume.id },
      body,
    });
  };
  const submit = () =>
    save(async () => {
      say((await send()).detail);
      props.onSaved();
    });
  return (
    <FormDialog
      title={volume ? variablesText.edit(volume.name) : volumesText.add}
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <TextField
        label={volumesText.name}
        mono
        required
        autofocus
        failure={failureAt('name')}
        value={name()}
        onInput={setName}
      />
      <TextField
        label={volumesText.mountPath}
        help={volumesText.mountPathHelp}
        mono
        required
        failure={failureAt('mountPath')}
        value={mountPath()}
        onInput={setMountPath}
      />
      <TextField
        label={volumesText.sizeMb}
        help={volumesText.sizeHelp}
        type="number"
        failure={failureAt('sizeMb')}
        value={sizeMb()}
        onInput={setSizeMb}
      />
    </FormDialog>
  );
}
