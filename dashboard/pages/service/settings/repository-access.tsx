/** How Longshore reads the repository of a service, and whether a push deploys it. */

import { createSignal } from 'solid-js';
import { api } from '../../../api/client.ts';
import { renewService, type Service } from '../../../api/queries.ts';
import { queries } from '../../../api/query-client.ts';
import { useQuery } from '../../../api/use-query.ts';
import { t } from '../../../text/text.ts';
import { Age } from '../../../ui/age.tsx';
import { Button } from '../../../ui/button.tsx';
import { Copyable } from '../../../ui/copy.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { EditAndRemove } from '../../../ui/edit-and-remove.tsx';
import { RecordDialog } from '../../../ui/record-dialog.tsx';
import { Show } from '../../../ui/show.ts';
import { ShownOnce } from '../../../ui/shown-once.tsx';
import { attempt, say } from '../../../ui/toasts.tsx';
import { repositoryText } from './repository-text.ts';

const texts = repositoryText;

export function RepositoryAccess(props: { service: Service; mayWrite: boolean }) {
  return (
    <>
      <section class="panel">
        <h2>{texts.push}</h2>
        <p class="quiet-text">{texts.pushHelp}</p>
        <Webhook service={props.service} mayWrite={props.mayWrite} />
      </section>
      <section class="panel">
        <h2>{texts.access}</h2>
        <p class="quiet-text">{texts.accessHelp}</p>
        <Access service={props.service} mayWrite={props.mayWrite} />
      </section>
    </>
  );
}

function Webhook(props: { service: Service; mayWrite: boolean }) {
  const [made, setMade] = createSignal<string>();
  const [isReplacing, setIsReplacing] = createSignal(false);
  const params = () => ({ serviceId: props.service.id });
  const webhook = useQuery(() => ({
    queryKey: ['webhook', props.service.id],
    queryFn: ({ signal }) => api.call('GET /api/services/:serviceId/webhook', { params: params(), signal }),
  }));
  const known = () => (webhook.isSuccess ? webhook.data.webhook : undefined);
  const renew = () => queries.invalidateQueries({ queryKey: ['webhook', props.service.id] });
  const make = () =>
    attempt(async () => {
      const route = 'POST /api/services/:serviceId/webhook';
      setMade((await api.call(route, { params: params() })).webhook.secret);
      await renew();
    });
  const remove = () =>
    attempt(async () => {
      await api.call('DELETE /api/services/:serviceId/webhook', { params: params() });
      say(texts.webhookRemoved);
      await renew();
    });
  return (
    <>
      <Show
        when={known()}
        fallback={<p class="quiet-text">{webhook.isSuccess ? texts.noWebhook : t.loading}</p>}
      >
        {(one) => (
          <p>
            {texts.webhookUrl}: <Copyable text={one().url} what={texts.webhookUrl} />{' '}
            <small class="quiet-text">
              {texts.made} <Age at={one().createdAt} />
            </small>
          </p>
        )}
      </Show>
      <Show when={props.mayWrite && webhook.isSuccess}>
        <div class="actions">
          <Button class="small" onClick={() => (known() ? setIsReplacing(true) : void make())}>
            {known() ? texts.newSecret : texts.makeWebhook}
          </Button>
          <Show when={known()}>
            <EditAndRemove
              name={texts.webhook}
              removeHelp={texts.removeWebhookHelp}
              onRemove={() => void remove()}
            />
          </Show>
        </div>
      </Show>
      <Show when={isReplacing()}>
        <Confirm
          title={texts.newSecretTitle}
          help={texts.newSecretHelp}
          submit={texts.newSecret}
          onClose={() => setIsReplacing(false)}
          onConfirm={() => void make()}
        />
      </Show>
      <Show when={made()}>
        {(secret) => (
          <ShownOnce
            title={texts.secretTitle}
            help={texts.secretHelp}
            what={texts.secret}
            secret={secret()}
            onClose={() => setMade(undefined)}
          />
        )}
      </Show>
    </>
  );
}

function Access(props: { service: Service; mayWrite: boolean }) {
  const [asked, setAsked] = createSignal<'token' | 'deploy-key'>();
  const params = () => ({ serviceId: props.service.id });
  const deployKey = useQuery(() => ({
    queryKey: ['deploy-key', props.service.id],
    queryFn: ({ signal }) =>
      api.call('GET /api/services/:serviceId/deploy-key', { params: params(), signal }),
  }));
  const known = () => (deployKey.isSuccess ? deployKey.data.deployKey : undefined);
  const renew = async () => {
    await queries.invalidateQueries({ queryKey: ['deploy-key', props.service.id] });
    await renewService(props.service.id);
  };
  const makeKey = () =>
    attempt(async () => {
      await api.call('POST /api/services/:serviceId/deploy-key', { params: params() });
      say(texts.keyMade);
      await renew();
    });
  const setToken = async (gitToken: string | null) => {
    await api.call('PATCH /api/services/:serviceId', { params: params(), body: { gitToken } });
    await renew();
  };
  const remove = () =>
    attempt(async () => {
      await setToken(null);
      say(texts.accessRemoved);
    });
  return (
    <>
      <Show
        when={known()}
        fallback={<p class="quiet-text">{props.service.hasGitHostToken ? texts.hasToken : texts.noAccess}</p>}
      >
        {(key) => (
          <>
            <p>{texts.keyHelp}</p>
            <p class="long-text">
              <Copyable text={key().publicKey} what={texts.deployKey} />
            </p>
            <p class="quiet-text long-text">{key().fingerprint}</p>
          </>
        )}
      </Show>
      <Show when={props.mayWrite}>
        <div class="actions">
          <Button class="small" onClick={() => setAsked('token')}>
            {texts.setToken}
          </Button>
          <Button
            class="small"
            onClick={() => (props.service.hasGitHostToken ? setAsked('deploy-key') : void makeKey())}
          >
            {texts.makeKey}
          </Button>
          <Show when={props.service.hasGitHostToken}>
            <EditAndRemove
              name={texts.access}
              removeHelp={texts.removeAccessHelp}
              onRemove={() => void remove()}
            />
          </Show>
        </div>
      </Show>
      <Show when={asked() === 'deploy-key'}>
        <Confirm
          title={texts.makeKeyTitle}
          help={texts.makeKeyHelp}
          submit={texts.makeKey}
          onClose={() => setAsked(undefined)}
          onConfirm={() => void makeKey()}
        />
      </Show>
      <Show when={asked() === 'token'}>
        <RecordDialog
          title={texts.setToken}
          fields={[
            {
              name: 'gitToken',
              kind: 'password',
              isRequired: true,
              label: texts.token,
              help: texts.tokenHelp,
            },
          ]}
          first={{ gitToken: '' }}
          send={async ({ gitToken }) => {
            await setToken(gitToken);
            return texts.tokenSaved;
          }}
          onClose={() => setAsked(undefined)}
        />
      </Show>
    </>
  );
}
