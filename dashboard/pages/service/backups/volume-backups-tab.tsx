/** The backups of a service's volumes: take, prove, download, restore. */
import { createSignal } from 'solid-js';
import { known } from '../../../api/known.ts';
import { type Overview, renewService } from '../../../api/queries.ts';
import { usePageCommands } from '../../../shell/commands.ts';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { backupsText } from '../backups-text.ts';
import { BackUpVolume } from './back-up-volume.tsx';
import type { Backup, Backups, VolumeBackup } from './backup.ts';
import { BackupList } from './backup-list.tsx';
import { renewBackups, useBackups, volumeBackups } from './backup-source.ts';
import { RestoreVolume } from './restore-volume.tsx';
import '../../../styles/backups.css';

const isOfVolume = (backup: Backup): backup is VolumeBackup => 'volumeId' in backup;

export function VolumeBackupsTab(props: { overview: Overview; mayWrite: boolean }) {
  const source = () => volumeBackups(props.overview.service.id);
  const backups = useBackups(source);
  const volumes = () => props.overview.volumes;
  const [started, setStarted] = createSignal<Backups>();
  const [restored, setRestored] = createSignal<VolumeBackup>();
  const nameOf = (backup: Backup) => {
    if (!isOfVolume(backup)) return undefined;
    return volumes().find(({ id }) => id === backup.volumeId)?.name ?? backupsText.deletedVolume;
  };
  const mayBackUp = () => props.mayWrite && volumes().length > 0;
  const restore = async (backup: VolumeBackup, targetVolumeId: string) => {
    say(backupsText.restoreStarted);
    const answer = attempt(async () => {
      await source().restore(backup.id, targetVolumeId);
      say(backupsText.restored);
    });
    await renewBackups(source());
    await answer;
    await Promise.all([renewBackups(source()), renewService(source().serviceId)]);
  };
  usePageCommands(() =>
    mayBackUp() ? [{ label: backupsText.now, run: () => setStarted(known(backups)) }] : [],
  );
  return (
    <>
      <BackupList
        source={source()}
        mayWrite={mayBackUp()}
        mayRemove={props.mayWrite}
        nameOf={nameOf}
        isStarting={false}
        onBackUp={setStarted}
        onRestore={(backup) => isOfVolume(backup) && setRestored(backup)}
      />
      <Show when={started()} keyed>
        {(known) => (
          <BackUpVolume
            source={source()}
            backups={known}
            volumes={volumes()}
            onClose={() => setStarted(undefined)}
          />
        )}
      </Show>
      <Show when={restored()} keyed>
        {(backup) => (
          <RestoreVolume
            backup={backup}
            volumes={volumes()}
            onClose={() => setRestored(undefined)}
            onRestore={(targetVolumeId) => void restore(backup, targetVolumeId)}
          />
        )}
      </Show>
    </>
  );
}
