/** Creates a volume, or changes its name, place and size. */
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import { t } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { createSaving } from '../../ui/saving.ts';
import { say } from '../../ui/toasts.tsx';
import type { Volume } from './resources.ts';

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
  const submit = async () => {
    const isSaved = await save(async () => {
      const { detail } = await send();
      say(detail);
    });
    if (!isSaved) return;
    props.onSaved();
    props.onClose();
  };
  return (
    <Dialog title={volume ? t.variables.edit(volume.name) : t.volumes.add} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <TextField
          label={t.volumes.name}
          mono
          required
          autofocus
          failure={failureAt('name')}
          value={name()}
          onInput={setName}
        />
        <TextField
          label={t.volumes.mountPath}
          help={t.volumes.mountPathHelp}
          mono
          required
          failure={failureAt('mountPath')}
          value={mountPath()}
          onInput={setMountPath}
        />
        <TextField
          label={t.volumes.sizeMb}
          help={t.volumes.sizeHelp}
          type="number"
          failure={failureAt('sizeMb')}
          value={sizeMb()}
          onInput={setSizeMb}
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
