/** Backups on a timeline and as a list, and the plan for automatic backups. */
import { createSignal, type JSX } from 'solid-js';
import { exactTime } from '../../../ui/age.tsx';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { Show } from '../../../ui/show.ts';
import { backupsText } from '../backups-text.ts';
import type { Backup, Backups } from './backup.ts';
import { BackupPlan } from './backup-plan.tsx';
import { BackupRow } from './backup-row.tsx';
import { type BackupSource, renewBackups, useBackups } from './backup-source.ts';
import { Timeline } from './timeline.tsx';

interface BackupListProps {
  source: BackupSource;
  mayWrite: boolean;
  /** Absent: the value of `mayWrite`. */
  mayRemove?: boolean;
  /** The name of the volume of a backup; undefined: it covers the whole service. */
  nameOf?(backup: Backup): string | undefined;
  isStarting: boolean;
  onBackUp(backups: Backups): void;
  onRestore(backup: Backup): void;
  /** Content below the list. */
  children?: JSX.Element;
}

export function BackupList(props: BackupListProps) {
  const backups = useBackups(() => props.source);
  const [isPlanning, setIsPlanning] = createSignal(false);
  return (
    <Answer query={backups}>
      {(data) => (
        <section class="stack">
          <header class="toolbar">
            <p class="quiet-text">{planText(data())}</p>
            <Show when={props.mayWrite}>
              <div class="actions">
                <Button onClick={() => setIsPlanning(true)}>
                  {data().settings.automaticEnabled ? backupsText.change : backupsText.turnOn}
                </Button>
                <Button kind="primary" busy={props.isStarting} onClick={() => props.onBackUp(data())}>
                  {backupsText.now}
                </Button>
              </div>
            </Show>
          </header>
          <Show
            when={data().backups.length > 0}
            fallback={<Empty title={backupsText.none} help={backupsText.noneHelp[props.source.of]} />}
          >
            <Timeline backups={data().backups} />
            <ul class="lines">
              <Rows each={data().backups}>
                {(backup) => (
                  <BackupRow
                    source={props.source}
                    backup={backup()}
                    name={props.nameOf?.(backup())}
                    all={data().backups}
                    mayWrite={props.mayWrite}
                    mayRemove={props.mayRemove ?? props.mayWrite}
                    onRestore={() => props.onRestore(backup())}
                    onChanged={() => void renewBackups(props.source)}
                  />
                )}
              </Rows>
            </ul>
          </Show>
          {props.children}
          <Show when={isPlanning()}>
            <BackupPlan source={props.source} backups={data()} onClose={() => setIsPlanning(false)} />
          </Show>
        </section>
      )}
    </Answer>
  );
}

/** The plan for automatic backups in words. */
function planText({ settings }: Backups): string {
  const plans = [
    ...(settings.dailyEnabled ? [backupsText.plan.daily] : []),
    ...(settings.weeklyEnabled ? [backupsText.plan.weekly] : []),
    ...(settings.monthlyEnabled ? [backupsText.plan.monthly] : []),
  ];
  if (!settings.automaticEnabled || plans.length === 0) return `${backupsText.automatic}: ${backupsText.off}`;
  const next = settings.nextBackupAt ? ` · ${backupsText.next(exactTime(settings.nextBackupAt))}` : '';
  return `${backupsText.automatic}: ${plans.join(', ')}${next}`;
}
