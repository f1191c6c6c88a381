/** Backups on a timeline and as a list, and the plan for automatic backups. */
import { createSignal, type JSX } from 'solid-js';
import { t } from '../../text/text.ts';
import { exactTime } from '../../ui/age.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { BackupPlan } from './backup-plan.tsx';
import { BackupRow } from './backup-row.tsx';
import { type BackupSource, renewBackups, useBackups } from './source.ts';
import { Timeline } from './timeline.tsx';
import type { Backup, Backups } from './types.ts';

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
                  {data().settings.automaticEnabled ? t.backups.change : t.backups.turnOn}
                </Button>
                <Button kind="primary" busy={props.isStarting} onClick={() => props.onBackUp(data())}>
                  {t.backups.now}
                </Button>
              </div>
            </Show>
          </header>
          <Show
            when={data().backups.length > 0}
            fallback={<Empty title={t.backups.none} help={t.backups.noneHelp[props.source.of]} />}
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
    ...(settings.dailyEnabled ? [t.backups.plan.daily] : []),
    ...(settings.weeklyEnabled ? [t.backups.plan.weekly] : []),
    ...(settings.monthlyEnabled ? [t.backups.plan.monthly] : []),
  ];
  if (!settings.automaticEnabled || plans.length === 0) return `${t.backups.automatic}: ${t.backups.off}`;
  const next = settings.nextBackupAt ? ` · ${t.backups.next(exactTime(settings.nextBackupAt))}` : '';
  return `${t.backups.automatic}: ${plans.join(', ')}${next}`;
}
