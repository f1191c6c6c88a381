/** Creates a trust policy or changes its rules. What it is about (service, issuer, repository) can't be changed. */
import { createStore } from 'solid-js/store';
import { api } from '../../../api/client.ts';
import { ChoiceField, TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { Show } from '../../../ui/show.ts';
import { say } from '../../../ui/toasts.tsx';
import { changedRules, draftOf, newPolicy, type PolicyDraft } from './policy-draft.ts';
import { whomOf } from './policy-facts.ts';
import { renewTrustPolicies } from './policy-queries.ts';
import type { TrustPolicy } from './trust-policy.ts';
import { trustText } from './trust-text.ts';

interface EditPolicyProps {
  projectId: string;
  /** Undefined: a new one. */
  policy: TrustPolicy | undefined;
  onCreated(policy: TrustPolicy): void;
  onClose(): void;
}

type Provider = PolicyDraft['provider'];
type Level = PolicyDraft['access'];
const providers = Object.keys(trustText.providers) as Provider[];
const providerChoices = providers.map((value) => ({ value, text: trustText.providers[value] }));
const levels = Object.keys(trustText.levels) as Level[];
const levelChoices = levels.map((value) => ({ value, text: trustText.levels[value] }));

export function EditPolicy(props: EditPolicyProps) {
  const { policy } = props;
  const [draft, setDraft] = createStore(draftOf(policy));
  const { isBusy, failureAt, save } = createSaving((field) =>
    Object.hasOwn(draft, field.replace(/\W.*/, '')),
  );
  const submit = () =>
    save(async () => {
      const saved = await send();
      say(trustText.saved(whomOf(saved)));
      await renewTrustPolicies();
      if (!policy) props.onCreated(saved);
    });
  const send = async () => {
    if (policy) {
      const params = { trustPolicyId: policy.id };
      const body = changedRules(draft, policy);
      if (Object.keys(body).length === 0) return policy;
      return (await api.call('PATCH /api/trust-policies/:trustPolicyId', { params, body })).trustPolicy;
    }
    const params = { projectId: props.projectId };
    const body = newPolicy(draft);
    return (await api.call('POST /api/projects/:projectId/trust-policies', { params, body })).trustPolicy;
  };
  /** The properties of a field of text. */
  const text = (name: TextName) => ({
    label: trustText[name === 'expiresInMinutes' ? 'minutes' : name],
    get failure() {
      return failureAt(name);
    },
    get value() {
      return draft[name];
    },
    onInput: (value: string) => setDraft(name, value),
  });
  return (
    <FormDialog
      title={policy ? trustText.edit(whomOf(policy)) : trustText.add}
      wide
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <Show when={!policy} fallback={<p class="quiet-text">{trustText.changeHelp}</p>}>
        <ChoiceField
          label={trustText.provider}
          choices={providerChoices}
          value={draft.provider}
          onInput={(value) => setDraft('provider', providers.find((one) => one === value) ?? 'github')}
        />
        <Show
          when={draft.provider !== 'other'}
          fallback={<TextField {...text('subject')} help={trustText.subjectHelp} mono required />}
        >
          <TextField {...text('repository')} help={trustText.repositoryHelp} mono required />
        </Show>
        <TextField
          {...text('issuer')}
          help={trustText.issuerHelp[draft.provider]}
          mono
          required={draft.provider === 'forgejo' || draft.provider === 'other'}
        />
      </Show>
      <Show when={draft.provider !== 'other'}>
        <div class="field-grid">
          <TextField {...text('branches')} help={trustText.branchesHelp} mono rows={2} />
          <TextField {...text('tags')} help={trustText.tagsHelp} mono rows={2} />
        </div>
        <Show when={draft.provider !== 'forgejo'}>
          <TextField {...text('environment')} help={trustText.environmentHelp} mono />
        </Show>
        <TextField
          {...text('events')}
          help={trustText.eventsHelp[policy ? 'now' : 'ofProvider']}
          mono
          rows={2}
        />
      </Show>
      <ChoiceField
        label={trustText.access}
        failure={failureAt('access')}
        choices={levelChoices}
        value={draft.access}
        onInput={(value) => setDraft('access', levels.find((one) => one === value) ?? 'deploy')}
      />
      <TextField {...text('expiresInMinutes')} help={trustText.minutesHelp} type="number" required />
      <details open={policy !== undefined}>
        <summary>{trustText.more}</summary>
        <div class="field-grid">
          <TextField {...text('audience')} help={trustText.audienceHelp(location.origin)} mono />
          <Show when={draft.provider === 'github' || draft.provider === 'gitlab'}>
            <TextField {...text('repositoryId')} help={trustText.idHelp} mono />
            <TextField {...text('ownerId')} help={trustText.idHelp} mono />
          </Show>
        </div>
      </details>
    </FormDialog>
  );
}

type TextName = Exclude<keyof PolicyDraft, 'provider' | 'access'>;
