/** Restores a backup into its volume or another volume of the service, after the user types that volume's name. */
import { createSignal } from 'solid-js';
import type { Overview } from '../../../api/queries.ts';
import { exactTime } from '../../../ui/age.tsx';
import { ChoiceField } from '../../../ui/field.tsx';
import { Show } from '../../../ui/show.ts';
import { TypeName } from '../../../ui/type-name.tsx';
import { backupsText } from '../backups-text.ts';
import type { VolumeBackup } from './backup.ts';

interface RestoreVolumeProps {
  backup: VolumeBackup;
  /** The existing volumes; the volume of the backup may have been deleted. */
  volumes: Overview['volumes'];
  onClose(): void;
  onRestore(targetVolumeId: string): void;
}

export function RestoreVolume(props: RestoreVolumeProps) {
  const own = props.volumes.find(({ id }) => id === props.backup.volumeId) ?? props.volumes[0];
  const [targetId, setTargetId] = createSignal(own?.id ?? '');
  const target = () => props.volumes.find(({ id }) => id === targetId());
  return (
    <TypeName
      title={backupsText.restoreTitle(exactTime(props.backup.createdAt))}
      help={backupsText.restoreHelp.volumes}
      name={target()?.name ?? ''}
      submit={backupsText.restore}
      onClose={props.onClose}
      onConfirm={() => props.onRestore(targetId())}
    >
      <Show when={props.volumes.length > 1}>
        <ChoiceField
          label={backupsText.target}
          value={targetId()}
          choices={props.volumes.map(({ id, name }) => ({ value: id, text: name }))}
          onInput={setTargetId}
        />
      </Show>
    </TypeName>
  );
}
