/** One identity provider: who signs in there, a test, and its callback address. */
import { createSignal, For } from 'solid-js';
import { operatorApi } from '../../../api/operator.ts';
import { membersText } from '../../../text/members-text.ts';
import { Button } from '../../../ui/button.tsx';
import { Copyable } from '../../../ui/copy.tsx';
import { EditAndRemove } from '../../../ui/edit-and-remove.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { providersText } from '../providers-text.ts';
import { type Checks, type Provider, renewProviders } from './provider-draft.ts';

export function ProviderRow(props: { provider: Provider; onEdit(): void }) {
  const [isTesting, setIsTesting] = createSignal(false);
  const [result, setResult] = createSignal<Checks>();
  const name = () => props.provider.name;
  const params = () => ({ identityProviderId: props.provider.id });
  const test = async () => {
    setIsTesting(true);
    await attempt(async () => {
      const route = 'POST /api/system/identity-providers/:identityProviderId/test';
      setResult((await operatorApi.call(route, { params: params() })).result);
    });
    setIsTesting(false);
  };
  const remove = () =>
    attempt(async () => {
      await operatorApi.call('DELETE /api/system/identity-providers/:identityProviderId', {
        params: params(),
      });
      say(providersText.removed(name()));
      await renewProviders();
    });
  return (
    <li>
      <div>
        <ProviderFacts provider={props.provider} />
        <Show when={result()}>{(checks) => <TestedFields result={checks()} />}</Show>
      </div>
      <div class="actions">
        <Button
          class="small"
          busy={isTesting()}
          aria-label={providersText.testLabel(name())}
          onClick={() => void test()}
        >
          {providersText.test}
        </Button>
        <EditAndRemove
          name={name()}
          removeHelp={providersText.removeHelp}
          onEdit={props.onEdit}
          onRemove={() => void remove()}
        />
      </div>
    </li>
  );
}

function ProviderFacts(props: { provider: Provider }) {
  const provider = () => props.provider;
  return (
    <>
      <p>
        <strong>{provider().name}</strong> <span class="tag">{providersText.kinds[provider().kind]}</span>{' '}
        <Show when={!provider().enabled}>
          <span class="tag waits">{providersText.disabled}</span>
        </Show>
      </p>
      <p class="quiet-text facts-line">
        <code>{provider().issuer}</code>
        <span>{providersText.ofTenant(provider().tenantId)}</span>
        <span>{providersText.domains(provider().emailDomains)}</span>
        <Show when={provider().newMembers} fallback={<span>{providersText.invitedOnly}</span>}>
          {(joining) => <span>{providersText.joins(membersText.short[joining().role].toLowerCase())}</span>}
        </Show>
      </p>
      <Show when={provider().redirectUri}>
        {(uri) => (
          <p class="quiet-text">
            {providersText.redirect}: <Copyable text={uri()} what={providersText.redirect} />
          </p>
        )}
      </Show>
      <Show when={provider().ownRedirectUri}>
        {(uri) => (
          <p class="quiet-text">
            {providersText.sharedCallback} <Copyable text={uri()} what={providersText.ownRedirect} />
          </p>
        )}
      </Show>
    </>
  );
}

const TestedFields = (props: { result: Checks }) => (
  <div class="test-result" role="status">
    <p>{props.result.ok ? providersText.works : providersText.fails}</p>
    <ul class="plain-list">
      <For each={props.result.checks}>
        {({ field, ok, detail }) => (
          <li>
            <span class="status" classList={{ 'tone-ok': ok, 'tone-bad': !ok }}>
              <span class="dot" aria-hidden="true" />
              {field}
            </span>{' '}
            <span class="long-text">{detail}</span>
          </li>
        )}
      </For>
    </ul>
  </div>
);
