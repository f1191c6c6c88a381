/** Backs up a volume now: choose the volume, the storage, and what the service does during the copy. */
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import type { Overview } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { ChoiceField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { createSaving } from '../../ui/saving.ts';
import { say } from '../../ui/toasts.tsx';
import { offeredStorages } from './backup-plan.tsx';
import { QuiesceFields, quiesceBody } from './quiesce-fields.tsx';
import { type BackupSource, renewBackups } from './source.ts';
import type { Backups, Storage } from './types.ts';

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
      title={t.backups.now}
      submitLabel={t.backups.now}
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <ChoiceField
        label={t.backups.volume}
        failure={failureAt('volumeId')}
        value={volumeId()}
        choices={props.volumes.map(({ id, name }) => ({ value: id, text: name }))}
        onInput={setVolumeId}
      />
      <ChoiceField
        label={t.backups.planStorage}
        help={t.backups.planStorageHelp}
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
