/** Backs up a volume now: choose the volume, the storage, and what the service does during the copy. */
import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import type { Overview } from '../../../api/queries.ts';
import { ChoiceField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { say } from '../../../ui/toasts.tsx';
import { backupsText } from '../backups-text.ts';
import type { Backups, Storage } from './backup.ts';
import { offeredStorages } from './backup-plan.tsx';
import { type BackupSource, renewBackups } from './backup-source.ts';
import { QuiesceFields, quiesceBody } from './quiesce-fields.tsx';

interface BackUpVolumeProps {
  source: BackupSource;
  backups: Backups;
  volumes: Overview['volumes'];
  onClose(): void;
}

const fields = ['volumeId', 'storage', 'quiesce', 'before', 'after'];

export function BackUpVolume(props: BackUpVolumeProps) {
  const { settings } = props.backups;
  const { isBusy, failureAt, save } = createSaving((name) => fields.includes(name));
  const [volumeId, setVolumeId] = createSignal(props.volumes[0]?.id ?? '');
  const [storage, setStorage] = createSignal<Storage>(settings.storage);
  const [draft, setDraft] = createSignal({
    // The API does not show the commands of the plan, so they have to be entered again.
    quiesce: 'quiesce' in settings ? settings.quiesce : ('none' as const),
    ...{ before: '', after: '' },
  });
  const submit = () =>
    save(async () => {
      const params = { serviceId: props.source.serviceId };
      const body = { volumeId: volumeId(), storage: storage(), ...quiesceBody(draft()) };
      say((await api.call('POST /api/services/:serviceId/volume-backups', { params, body })).detail);
      await renewBackups(props.source);
    });
  return (
    <FormDialog
      title={backupsText.now}
      submitLabel={backupsText.now}
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <ChoiceField
        label={backupsText.volume}
        failure={failureAt('volumeId')}
        value={volumeId()}
        choices={props.volumes.map(({ id, name }) => ({ value: id, text: name }))}
        onInput={setVolumeId}
      />
      <ChoiceField
        label={backupsText.planStorage}
        help={backupsText.planStorageHelp}
        failure={failureAt('storage')}
        value={storage()}
        choices={offeredStorages(props.backups, storage())}
        onInput={(text) => setStorage(text as Storage)}
      />
      <QuiesceFields
        draft={draft()}
        failureAt={failureAt}
        onChange={(part) => setDraft((now) => ({ ...now, ...part }))}
      />
    </FormDialog>
  );
}
