/** Asks for the version of an upgrade, and explains what will happen. A trial on a copy is proposed first. */
import { createSignal, For } from 'solid-js';
import { api } from '../../../api/client.ts';
import type { Overview } from '../../../api/queries.ts';
import { t } from '../../../text/text.ts';
import { CheckField, TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { say } from '../../../ui/toasts.tsx';
import { sourceText } from '../../service-kind.ts';
import { nextVersion } from './next-version.ts';
import { renewUpgrades } from './queries.ts';

interface StartUpgradeProps {
  service: Overview['service'];
  /** The image of the trial that has just succeeded. */
  tried: string | undefined;
  onClose(): void;
}

export function StartUpgrade(props: StartUpgradeProps) {
  const { id, name, framework } = props.service;
  const from = sourceText(props.service);
  const [draft, setDraft] = createSignal({
    imageRef: props.tried ?? nextVersion(framework ?? '', from) ?? '',
    dryRun: props.tried === undefined,
    acceptNotKept: false,
  });
  const change = (part: Partial<ReturnType<typeof draft>>) => setDraft((now) => ({ ...now, ...part }));
  const { isBusy, failureAt, save } = createSaving((field) => ['imageRef', 'acceptNotKept'].includes(field));
  const submit = () =>
    save(async () => {
      const params = { serviceId: id };
      const body = { ...draft(), imageRef: draft().imageRef.trim() };
      await api.call('POST /api/services/:serviceId/database/upgrade', { params, body });
      say(draft().dryRun ? t.upgrades.trialStarted : t.upgrades.started);
      await renewUpgrades(id);
    });
  return (
    <FormDialog
      title={t.upgrades.dialogTitle(name)}
      submitLabel={draft().dryRun ? t.upgrades.startTrial : t.upgrades.start}
      wide
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <ol class="quiet-text steps">
        <For each={t.upgrades.steps}>{(step) => <li>{step}</li>}</For>
      </ol>
      <TextField
        label={t.upgrades.image}
        help={t.upgrades.imageHelp(from)}
        mono
        required
        autofocus
        failure={failureAt('imageRef')}
        value={draft().imageRef}
        onInput={(imageRef) => change({ imageRef })}
      />
      <CheckField
        label={t.upgrades.dryRun}
        help={t.upgrades.dryRunHelp}
        checked={draft().dryRun}
        onInput={(dryRun) => change({ dryRun })}
      />
      <CheckField
        label={t.upgrades.notKept}
        help={t.upgrades.notKeptHelp}
        failure={failureAt('acceptNotKept')}
        checked={draft().acceptNotKept}
        onInput={(acceptNotKept) => change({ acceptNotKept })}
      />
    </FormDialog>
  );
}
