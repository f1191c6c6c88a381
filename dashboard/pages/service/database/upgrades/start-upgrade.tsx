/** Asks for the version of an upgrade, and explains what will happen. A trial on a copy is proposed first. */
import { createSignal, For } from 'solid-js';
import { api } from '../../../../api/client.ts';
import type { Overview } from '../../../../api/queries.ts';
import { CheckField, TextField } from '../../../../ui/field.tsx';
import { FormDialog } from '../../../../ui/form-dialog.tsx';
import { createSaving } from '../../../../ui/saving.ts';
import { sourceText } from '../../../../ui/service-kind.ts';
import { say } from '../../../../ui/toasts.tsx';
import { nextVersion } from './next-version.ts';
import { renewUpgrades } from './upgrade-queries.ts';
import { upgradesText } from './upgrades-text.ts';

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
      say(draft().dryRun ? upgradesText.trialStarted : upgradesText.started);
      await renewUpgrades(id);
    });
  return (
    <FormDialog
      title={upgradesText.dialogTitle(name)}
      submitLabel={draft().dryRun ? upgradesText.startTrial : upgradesText.start}
      wide
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <ol class="quiet-text steps">
        <For each={upgradesText.steps}>{(step) => <li>{step}</li>}</For>
      </ol>
      <TextField
        label={upgradesText.image}
        help={upgradesText.imageHelp(from)}
        mono
        required
        autofocus
        failure={failureAt('imageRef')}
        value={draft().imageRef}
        onInput={(imageRef) => change({ imageRef })}
      />
      <CheckField
        label={upgradesText.dryRun}
        help={upgradesText.dryRunHelp}
        checked={draft().dryRun}
        onInput={(dryRun) => change({ dryRun })}
      />
      <CheckField
        label={upgradesText.notKept}
        help={upgradesText.notKeptHelp}
        failure={failureAt('acceptNotKept')}
        checked={draft().acceptNotKept}
        onInput={(acceptNotKept) => change({ acceptNotKept })}
      />
    </FormDialog>
  );
}
