/** The backups of a database: make one, prove it, download it, restore it. */
import { createSignal, Show } from 'solid-js';
import { api } from '../../../api/client.ts';
import type { Overview } from '../../../api/queries.ts';
import { queries } from '../../../api/query-client.ts';
import { usePageCommands } from '../../../shell/commands.ts';
import { t } from '../../../text/text.ts';
import { exactTime } from '../../../ui/age.tsx';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { attempt, say } from '../../../ui/toasts.tsx';
import { TypeName } from '../../../ui/type-name.tsx';
import { Imports } from '../imports/imports.tsx';
import { useBackups } from '../queries.ts';
import type { Backup, Backups } from '../types.ts';
import { BackupPlan } from './backup-plan.tsx';
import { BackupRow } from './backup-row.tsx';
import { Timeline } from './timeline.tsx';

const renew = (serviceId: string) => queries.invalidateQueries({ queryKey: ['backups', serviceId] });

export function BackupsTab(props: { overview: Overview; mayWrite: boolean }) {
  const serviceId = () => props.overview.service.id;
  const backups = useBackups(serviceId);
  const [restored, setRestored] = createSignal<Backup>();
  const [isPlanning, setIsPlanning] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const backUp = async () => {
    setBusy(true);
    await attempt(async () => {
      const storage = backups.data?.settings.storage ?? 'disk';
      const params = { serviceId: serviceId() };
      await api.call('POST /api/services/:serviceId/database/backups', { params, body: { storage } });
      say(t.backups.started);
    });
    setBusy(false);
    await renew(serviceId());
  };
  const restore = async (backup: Backup) => {
    say(t.backups.restoreStarted);
    const params = { serviceId: serviceId(), backupId: backup.id };
    const answer = attempt(async () => {
      await api.call('POST /api/services/:serviceId/database/backups/:backupId/restore', {
        params,
        body: {},
      });
      say(t.backups.restored);
    });
    await renew(serviceId());
    await answer;
    await queries.invalidateQueries();
  };
  usePageCommands(() => (props.mayWrite ? [{ label: t.backups.now, run: () => void backUp() }] : []));
  return (
    <Answer query={backups}>
      {(data) => (
        <section class="stack">
          <header class="toolbar">
            <p class="quiet-text">{planText(data())}</p>
            <Show when={props.mayWrite}>
              <div class="actions">
                <Button onClick={() => setIsPlanning(true)}>
                  {data().settings.automaticEnabled ? t.backups.change : t.backups.turnOn}
                </Button>
                <Button kind="primary" busy={busy()} onClick={() => void backUp()}>
                  {t.backups.now}
                </Button>
              </div>
            </Show>
          </header>
          <Show
            when={data().backups.length > 0}
            fallback={<Empty title={t.backups.none} help={t.backups.noneHelp} />}
          >
            <Timeline backups={data().backups} />
            <ul class="lines">
              <Rows each={data().backups}>
                {(backup) => (
                  <BackupRow
                    backup={backup()}
                    all={data().backups}
                    mayWrite={props.mayWrite}
                    onRestore={() => setRestored(backup())}
                    onChanged={() => void renew(serviceId())}
                  />
                )}
              </Rows>
            </ul>
          </Show>
          <Imports overview={props.overview} mayWrite={props.mayWrite} />
          <Show when={isPlanning()}>
            <BackupPlan serviceId={serviceId()} backups={data()} onClose={() => setIsPlanning(false)} />
          </Show>
          <Show when={restored()} keyed>
            {(backup) => (
              <TypeName
                title={t.backups.restoreTitle(exactTime(backup.createdAt))}
                help={t.backups.restoreHelp}
                name={props.overview.service.name}
                submit={t.backups.restore}
                onClose={() => setRestored(undefined)}
                onConfirm={() => void restore(backup)}
              />
            )}
          </Show>
        </section>
      )}
    </Answer>
  );
}

/** When backups are made without being asked for. */
function planText({ settings }: Backups): string {
  const plans = [
    ...(settings.dailyEnabled ? [t.backups.plan.daily] : []),
    ...(settings.weeklyEnabled ? [t.backups.plan.weekly] : []),
    ...(settings.monthlyEnabled ? [t.backups.plan.monthly] : []),
  ];
  if (!settings.automaticEnabled || plans.length === 0) return `${t.backups.automatic}: ${t.backups.off}`;
  const next = settings.nextBackupAt ? ` · ${t.backups.next(exactTime(settings.nextBackupAt))}` : '';
  return `${t.backups.automatic}: ${plans.join(', ')}${next}`;
}
