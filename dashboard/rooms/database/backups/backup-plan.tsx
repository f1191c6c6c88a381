/** When backups are made without being asked for, where they are kept, and whether they are proven. */
import { createSignal, Show } from 'solid-js';
import { api } from '../../../api/client.ts';
import { queries } from '../../../api/query-client.ts';
import { t } from '../../../text/text.ts';
import { CheckField, ChoiceField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { say } from '../../../ui/toasts.tsx';
import type { Backups } from '../types.ts';

type Settings = Backups['settings'];
type Plan = Pick<
  Settings,
  'automaticEnabled' | 'dailyEnabled' | 'weeklyEnabled' | 'monthlyEnabled' | 'storage' | 'drill'
>;

const storages = ['disk', 'remote', 'disk+remote'] as const;

interface BackupPlanProps {
  serviceId: string;
  backups: Backups;
  onClose(): void;
}

export function BackupPlan(props: BackupPlanProps) {
  const saving = createSaving((name) => name === 'storage');
  const [plan, setPlan] = createSignal<Plan>(planOf(props.backups.settings));
  const change = (part: Partial<Plan>) => setPlan((now) => ({ ...now, ...part }));
  /** Without a bucket only what is chosen already can be kept there. */
  const offered = () =>
    storages.filter((one) => one === 'disk' || props.backups.remote.connected || one === plan().storage);
  const submit = () =>
    saving.save(async () => {
      await api.call('PATCH /api/services/:serviceId/database/backups/settings', {
        params: { serviceId: props.serviceId },
        body: plan(),
      });
      say(t.backups.planSaved);
      await queries.invalidateQueries({ queryKey: ['backups', props.serviceId] });
    });
  return (
    <FormDialog title={t.backups.planTitle} isBusy={saving.isBusy()} submit={submit} onClose={props.onClose}>
      <CheckField
        label={t.backups.planEnabled}
        checked={plan().automaticEnabled}
        onInput={(automaticEnabled) => change({ automaticEnabled })}
      />
      <Show when={plan().automaticEnabled}>
        <CheckField
          label={t.backups.planDaily}
          checked={plan().dailyEnabled}
          onInput={(dailyEnabled) => change({ dailyEnabled })}
        />
        <CheckField
          label={t.backups.planWeekly}
          checked={plan().weeklyEnabled}
          onInput={(weeklyEnabled) => change({ weeklyEnabled })}
        />
        <CheckField
          label={t.backups.planMonthly}
          checked={plan().monthlyEnabled}
          onInput={(monthlyEnabled) => change({ monthlyEnabled })}
        />
      </Show>
      <ChoiceField
        label={t.backups.planStorage}
        help={t.backups.planStorageHelp}
        failure={saving.failureAt('storage')}
        value={plan().storage}
        choices={offered().map((value) => ({ value, text: t.backups.storage[value] }))}
        onInput={(storage) => change({ storage: storage as Plan['storage'] })}
      />
      <CheckField
        label={t.backups.planDrill}
        help={t.backups.planDrillHelp}
        checked={plan().drill === 'weekly'}
        onInput={(isDrilled) => change({ drill: isDrilled ? 'weekly' : 'off' })}
      />
    </FormDialog>
  );
}

/** Whoever opens this wants them; without any time yet, each day. */
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
