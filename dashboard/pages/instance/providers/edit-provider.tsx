/** Connects or changes an identity provider. Its secret is never shown: it stays unless a new one is entered. */
import { createStore } from 'solid-js/store';
import { operatorApi } from '../../../api/operator.ts';
import { variablesText } from '../../../text/service-text.ts';
import { Copyable } from '../../../ui/copy.tsx';
import { CheckField, ChoiceField, TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { Show } from '../../../ui/show.ts';
import { say } from '../../../ui/toasts.tsx';
import { providersText } from '../providers-text.ts';
import { type Provider, renewProviders } from './provider-draft.ts';

type Kind = Provider['kind'];
type Role = keyof typeof providersText.roles;
const kinds = Object.keys(providersText.kinds) as Kind[];
const roles = Object.keys(providersText.roles) as Role[];
const fields = ['id', 'name', 'tenantId', 'issuer', 'clientId', 'clientSecret', 'emailDomains', 'newMembers'];

interface Draft {
  kind: Kind;
  id: string;
  name: string;
  tenantId: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** One domain per line. */
  emailDomains: string;
  trustsEmail: boolean;
  role: Role | '';
  /** Ids of the only projects that new members see, one per line. */
  projects: string;
  enabled: boolean;
  ownCallback: boolean;
}

const projectsText = (projects: 'all' | readonly string[] | undefined): string =>
  projects === undefined || typeof projects === 'string' ? '' : projects.join('\n');

const draftOf = (provider: Provider | undefined): Draft => ({
  kind: provider?.kind ?? 'oidc',
  id: provider?.id ?? '',
  name: provider?.name ?? '',
  tenantId: provider?.tenantId ?? 'default',
  issuer: provider?.issuer ?? '',
  clientId: provider?.clientId ?? '',
  clientSecret: '',
  emailDomains: provider?.emailDomains.join('\n') ?? '',
  trustsEmail: provider?.trustsEmail ?? false,
  role: provider?.newMembers?.role ?? '',
  projects: projectsText(provider?.newMembers?.projects),
  enabled: provider?.enabled ?? true,
  ownCallback: provider?.ownCallback ?? true,
});

/** The callback address of a new provider: the provider must know it before it issues a client id. */
const newCallbackOf = (id: string) =>
  /^[a-z0-9][a-z0-9-]*$/.test(id) ? `${location.origin}/sign-in/callback/${id}` : undefined;

export function EditProvider(props: { provider: Provider | undefined; onClose(): void }) {
  const { provider } = props;
  const [draft, setDraft] = createStore(draftOf(provider));
  const { isBusy, failureAt, save } = createSaving((field) => fields.includes(field.replace(/[.[].*$/, '')));
  const isOidc = () => draft.kind === 'oidc';
  const shared = () => {
    const { name, issuer, clientId, trustsEmail, enabled, ownCallback, role, clientSecret } = draft;
    const [first, ...others] = draft.projects.split(/[\s,]+/).filter(Boolean);
    const projects: 'all' | [string, ...string[]] = first === undefined ? 'all' : [first, ...others];
    return {
      ...{ name, issuer: issuer.trim(), clientId: clientId.trim(), trustsEmail, enabled, ownCallback },
      ...(clientSecret === '' ? {} : { clientSecret }),
      emailDomains: draft.emailDomains.split(/[\s,]+/).filter(Boolean),
      newMembers: role === '' ? null : { role, projects },
    };
  };
  const send = () =>
    provider
      ? operatorApi.call('PATCH /api/system/identity-providers/:identityProviderId', {
          params: { identityProviderId: provider.id },
          body: shared(),
        })
      : operatorApi.call('POST /api/system/identity-providers', {
          body: { ...shared(), kind: draft.kind, id: draft.id, tenantId: draft.tenantId },
        });
  const submit = () =>
    save(async () => {
      await send();
      say(providersText.saved(draft.name));
      await renewProviders();
    });
  const text = (key: 'name' | 'id' | 'tenantId' | 'issuer' | 'clientId' | 'clientSecret') => ({
    failure: failureAt(key),
    value: draft[key],
    onInput: (value: string) => setDraft(key, value),
  });
  return (
    <FormDialog
      title={provider ? variablesText.edit(provider.name) : providersText.add}
      wide
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <Show when={!provider}>
        <ChoiceField
          label={providersText.kind}
          choices={kinds.map((value) => ({ value, text: providersText.kinds[value] }))}
          value={draft.kind}
          onInput={(value) => setDraft('kind', value === 'oidc' ? 'oidc' : 'cloudflare-access')}
        />
        <TextField label={providersText.id} help={providersText.idHelp} mono required {...text('id')} />
        <TextField
          label={providersText.tenant}
          help={providersText.tenantHelp}
          mono
          required
          {...text('tenantId')}
        />
      </Show>
      <TextField label={providersText.name} help={providersText.nameHelp} required {...text('name')} />
      <TextField
        label={providersText.issuer}
        help={providersText.issuerHelp[draft.kind]}
        mono
        required
        {...text('issuer')}
      />
      <Show when={isOidc() && (provider?.redirectUri ?? newCallbackOf(draft.id))}>
        {(uri) => (
          <p class="quiet-text">
            {providersText.redirect}: <Copyable text={uri()} what={providersText.redirect} />
          </p>
        )}
      </Show>
      <TextField label={providersText.clientId[draft.kind]} mono required {...text('clientId')} />
      <Show when={isOidc()}>
        <TextField
          label={providersText.secret}
          help={provider ? providersText.secretKept : providersText.secretHelp}
          type="password"
          {...text('clientSecret')}
        />
      </Show>
      <TextField
        label={providersText.emailDomains}
        help={providersText.emailDomainsHelp}
        mono
        rows={2}
        failure={failureAt('emailDomains')}
        value={draft.emailDomains}
        onInput={(value) => setDraft('emailDomains', value)}
      />
      <ChoiceField
        label={providersText.joining}
        help={providersText.joiningHelp}
        failure={failureAt('newMembers') ?? failureAt('newMembers.role')}
        choices={[
          { value: '', text: providersText.refused },
          ...roles.map((value) => ({ value, text: providersText.roles[value] })),
        ]}
        value={draft.role}
        onInput={(value) => setDraft('role', roles.find((one) => one === value) ?? '')}
      />
      <Show when={draft.role !== ''}>
        <TextField
          label={providersText.projects}
          help={providersText.projectsHelp}
          mono
          rows={2}
          failure={failureAt('newMembers.projects')}
          value={draft.projects}
          onInput={(value) => setDraft('projects', value)}
        />
      </Show>
      <Show when={isOidc()}>
        <CheckField
          label={providersText.trustsEmail}
          help={providersText.trustsEmailHelp}
          checked={draft.trustsEmail}
          onInput={(checked) => setDraft('trustsEmail', checked)}
        />
      </Show>
      <Show when={provider?.ownRedirectUri}>
        {(uri) => (
          <CheckField
            label={providersText.ownCallback}
            help={providersText.ownCallbackHelp(uri())}
            checked={draft.ownCallback}
            onInput={(checked) => setDraft('ownCallback', checked)}
          />
        )}
      </Show>
      <CheckField
        label={providersText.enabled}
        checked={draft.enabled}
        onInput={(checked) => setDraft('enabled', checked)}
      />
    </FormDialog>
  );
}
