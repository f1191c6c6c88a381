/** The plan for automatic backups: when they are taken, where they are kept, and whether they are proven. */
import { createSignal } from 'solid-js';
import { CheckField, ChoiceField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { Show } from '../../../ui/show.ts';
import { say } from '../../../ui/toasts.tsx';
import { backupsText } from '../backups-text.ts';
import type { Backups, Plan as Body, Storage } from './backup.ts';
import { type BackupSource, renewBackups } from './backup-source.ts';
import { QuiesceFields, quiesceBody } from './quiesce-fields.tsx';

type Settings = Backups['settings'];
type Plan = Pick<
  Settings,
  'automaticEnabled' | 'dailyEnabled' | 'weeklyEnabled' | 'monthlyEnabled' | 'storage' | 'drill'
>;

const storages = ['disk', 'remote', 'disk+remote'] as const;

/** Without a bucket, only the current choice is offered among the storages that need it. */
export const offeredStorages = ({ remote }: Backups, chosen: Storage) =>
  storages
    .filter((one) => one === 'disk' || remote.connected || one === chosen)
    .map((value) => ({ value, text: backupsText.storage[value] }));

interface BackupPlanProps {
  source: BackupSource;
  backups: Backups;
  onClose(): void;
}

export function BackupPlan(props: BackupPlanProps) {
  const saving = createSaving((name) => ['storage', 'quiesce', 'before', 'after'].includes(name));
  const [plan, setPlan] = createSignal<Plan>(planOf(props.backups.settings));
  const change = (part: Partial<Plan>) => setPlan((now) => ({ ...now, ...part }));
  const [isQuiesceKept, setIsQuiesceKept] = createSignal(hasLines(props.backups.settings));
  const [quiesce, setQuiesce] = createSignal(quiesceOf(props.backups.settings));
  const body = (): Body => ({
    ...plan(),
    ...(props.source.of === 'database' || isQuiesceKept() ? {} : quiesceBody(quiesce())),
  });
  const submit = () =>
    saving.save(async () => {
      await props.source.plan(body());
      say(backupsText.planSaved);
      await renewBackups(props.source);
    });
  return (
    <FormDialog
      title={backupsText.planTitle}
      isBusy={saving.isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <CheckField
        label={backupsText.planEnabled}
        checked={plan().automaticEnabled}
        onInput={(automaticEnabled) => change({ automaticEnabled })}
      />
      <Show when={plan().automaticEnabled}>
        <CheckField
          label={backupsText.planDaily}
          checked={plan().dailyEnabled}
          onInput={(dailyEnabled) => change({ dailyEnabled })}
        />
        <CheckField
          label={backupsText.planWeekly}
          checked={plan().weeklyEnabled}
          onInput={(weeklyEnabled) => change({ weeklyEnabled })}
        />
        <CheckField
          label={backupsText.planMonthly}
          checked={plan().monthlyEnabled}
          onInput={(monthlyEnabled) => change({ monthlyEnabled })}
        />
      </Show>
      <ChoiceField
        label={backupsText.planStorage}
        help={backupsText.planStorageHelp}
        failure={saving.failureAt('storage')}
        value={plan().storage}
        choices={offeredStorages(props.backups, plan().storage)}
        onInput={(storage) => change({ storage: storage as Storage })}
      />
      <Show when={props.source.of === 'volumes'}>
        <Show when={hasLines(props.backups.settings)}>
          <CheckField
            label={backupsText.keepQuiesce}
            help={backupsText.keepQuiesceHelp}
            checked={isQuiesceKept()}
            onInput={setIsQuiesceKept}
          />
        </Show>
        <Show when={!isQuiesceKept()}>
          <QuiesceFields
            draft={quiesce()}
            failureAt={saving.failureAt}
            onChange={(part) => setQuiesce((now) => ({ ...now, ...part }))}
          />
        </Show>
      </Show>
      <CheckField
        label={backupsText.planDrill}
        help={backupsText.planDrillHelp[props.source.of]}
        checked={plan().drill === 'weekly'}
        onInput={(isDrilled) => change({ drill: isDrilled ? 'weekly' : 'off' })}
      />
    </FormDialog>
  );
}

/** The commands that pause the service are never shown: they stay until others are entered. */
const hasLines = (settings: Settings) => 'quiesce' in settings && settings.quiesce === 'command';

const quiesceOf = (settings: Settings) => ({
  quiesce: 'quiesce' in settings ? settings.quiesce : ('none' as const),
  ...{ before: '', after: '' },
});

/** A user who opens this form wants automatic backups. If no time is set yet, daily is proposed. */
function planOf({ dailyEnabled, weeklyEnabled, monthlyEnabled, storage, drill }: Settings): Plan {
  const hasTimes = dailyEnabled || weeklyEnabled || monthlyEnabled;
  return {
    automaticEnabled: true,
    dailyEnabled: dailyEnabled || !hasTimes,
    weeklyEnabled,
    monthlyEnabled,
    storage,
    drill,
  };
}
