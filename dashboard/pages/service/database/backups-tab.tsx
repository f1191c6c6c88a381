/** The backups of a database: take, prove, download, restore; and imports. */
import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import { known } from '../../../api/known.ts';
import type { Overview } from '../../../api/queries.ts';
import { queries } from '../../../api/query-client.ts';
import { usePageCommands } from '../../../shell/commands.ts';
import { exactTime } from '../../../ui/age.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { TypeName } from '../../../ui/type-name.tsx';
import type { Backup } from '../backups/backup.ts';
import { BackupList } from '../backups/backup-list.tsx';
import { databaseBackups, renewBackups, useBackups } from '../backups/backup-source.ts';
import { backupsText } from '../backups-text.ts';
import { Imports } from './imports/imports.tsx';
import '../../../styles/database.css';
import '../../../styles/backups.css';

export function BackupsTab(props: { overview: Overview; mayWrite: boolean }) {
  const serviceId = () => props.overview.service.id;
  const source = () => databaseBackups(serviceId());
  const backups = useBackups(source);
  const [restored, setRestored] = createSignal<Backup>();
  const [busy, setBusy] = createSignal(false);
  const backUp = async () => {
    setBusy(true);
    await attempt(async () => {
      const storage = known(backups)?.settings.storage ?? 'disk';
      const params = { serviceId: serviceId() };
      await api.call('POST /api/services/:serviceId/database/backups', { params, body: { storage } });
      say(backupsText.started);
    });
    setBusy(false);
    await renewBackups(source());
  };
  const restore = async (backup: Backup) => {
    say(backupsText.restoreStarted);
    const answer = attempt(async () => {
      await source().restore(backup.id);
      say(backupsText.restored);
    });
    await renewBackups(source());
    await answer;
    await queries.invalidateQueries();
  };
  usePageCommands(() => (props.mayWrite ? [{ label: backupsText.now, run: () => void backUp() }] : []));
  return (
    <>
      <BackupList
        source={source()}
        mayWrite={props.mayWrite}
        isStarting={busy()}
        onBackUp={() => void backUp()}
        onRestore={setRestored}
      >
        <Imports overview={props.overview} mayWrite={props.mayWrite} />
      </BackupList>
      <Show when={restored()} keyed>
        {(backup) => (
          <TypeName
            title={backupsText.restoreTitle(exactTime(backup.createdAt))}
            help={backupsText.restoreHelp.database}
            name={props.overview.service.name}
            submit={backupsText.restore}
            onClose={() => setRestored(undefined)}
            onConfirm={() => void restore(backup)}
          />
        )}
      </Show>
    </>
  );
}
