/** Language models that explain failed deployments, and the choice of the default one. */

import type { PostSystemAiProvidersBody, ReplyOf } from '../../../../client/client.ts';
import { isOperator, operatorApi } from '../../../api/operator.ts';
import { useQuery } from '../../../api/use-query.ts';
import { EditedList } from '../../../shell/edited-list.tsx';
import { credentialsText } from '../../../text/credentials-text.ts';
import { variablesText } from '../../../text/service-text.ts';
import { Button } from '../../../ui/button.tsx';
import { EditAndRemove } from '../../../ui/edit-and-remove.tsx';
import { RecordDialog, type RecordField } from '../../../ui/record-dialog.tsx';
import { Show } from '../../../ui/show.ts';
import { createTest, TestResult } from '../../../ui/test-result.tsx';
import { attempt, say } from '../../../ui/toasts.tsx';
import { renew, useInstanceSettings } from '../instance-queries.ts';
import { providersText } from '../providers-text.ts';
import { connectionsText } from './connections-text.ts';

const texts = connectionsText.ai;
type AiProvider = ReplyOf<'GET /api/system/ai-providers'>['providers'][number];
type Kind = AiProvider['kind'];
const kinds = Object.keys(texts.kinds) as Kind[];

export function AiProviders() {
  const providers = useQuery(() => ({
    queryKey: ['operator', 'ai-providers'],
    enabled: isOperator(),
    queryFn: async ({ signal }) =>
      (await operatorApi.call('GET /api/system/ai-providers', { signal })).providers,
  }));
  const settings = useInstanceSettings();
  const asked = () => (settings.isSuccess ? settings.data.defaultAiProviderId : null);
  return (
    <EditedList
      query={providers}
      title={texts.title}
      help={texts.help}
      mayEdit
      add={texts.add}
      none={{ title: texts.none, help: texts.noneHelp }}
      row={(provider, edit) => (
        <ProviderRow provider={provider()} isAsked={asked() === provider().id} onEdit={edit} />
      )}
      dialog={(provider, close) => <EditAiProvider provider={provider} onClose={close} />}
    />
  );
}

function ProviderRow(props: { provider: AiProvider; isAsked: boolean; onEdit(): void }) {
  const id = () => props.provider.id;
  const params = () => ({ aiProviderId: id() });
  const { result, isTesting, test } = createTest(
    async () =>
      (await operatorApi.call('POST /api/system/ai-providers/:aiProviderId/test', { params: params() }))
        .result,
  );
  const ask = (defaultAiProviderId: string | null) =>
    attempt(async () => {
      await operatorApi.call('PATCH /api/system/settings', { body: { defaultAiProviderId } });
      say(defaultAiProviderId === null ? texts.rulesAsked : texts.asked(defaultAiProviderId));
      await renew('settings');
    });
  const remove = () =>
    attempt(async () => {
      await operatorApi.call('DELETE /api/system/ai-providers/:aiProviderId', { params: params() });
      say(credentialsText.removed(id()));
      await renew('ai-providers');
    });
  return (
    <li>
      <div>
        <p>
          <strong>{id()}</strong> <span class="tag">{texts.kinds[props.provider.kind]}</span>{' '}
          <Show when={props.isAsked}>
            <span class="tag">{texts.isAsked}</span>{' '}
          </Show>
          <Show when={!props.provider.enabled}>
            <span class="tag waits">{providersText.disabled}</span>
          </Show>
        </p>
        <p class="quiet-text facts-line">
          <code>{props.provider.baseUrl}</code>
          <span>{props.provider.defaultModel}</span>
        </p>
        <TestResult result={result()} />
      </div>
      <div class="actions">
        <Button
          class="small"
          busy={isTesting()}
          aria-label={providersText.testLabel(id())}
          onClick={() => void test()}
        >
          {providersText.test}
        </Button>
        <Button
          class="small"
          aria-label={texts.askLabel(id(), props.isAsked)}
          onClick={() => void ask(props.isAsked ? null : id())}
        >
          {props.isAsked ? texts.askRules : texts.ask}
        </Button>
        <EditAndRemove
          name={id()}
          removeHelp={texts.removeHelp}
          onEdit={props.onEdit}
          onRemove={() => void remove()}
        />
      </div>
    </li>
  );
}

type Name = 'kind' | 'id' | 'baseUrl' | 'accountId' | 'apiKey' | 'defaultModel' | 'enabled';

function EditAiProvider(props: { provider: AiProvider | undefined; onClose(): void }) {
  const { provider } = props;
  const isNew = () => provider === undefined;
  const fields: RecordField<Name>[] = [
    {
      ...{ name: 'kind', kind: 'choice', label: texts.kind, fits: isNew },
      choices: kinds.map((value) => ({ value, text: texts.kinds[value] })),
    },
    {
      name: 'id',
      kind: 'text',
      mono: true,
      isRequired: true,
      label: texts.id,
      help: texts.idHelp,
      fits: isNew,
    },
    {
      ...{ name: 'baseUrl', kind: 'text', mono: true, label: texts.baseUrl, help: texts.baseUrlHelp },
      fits: ({ kind }) => kind !== 'workers-ai',
    },
    {
      ...{ name: 'accountId', kind: 'text', mono: true, isRequired: true, label: texts.accountId },
      fits: ({ kind }) => isNew() && kind === 'workers-ai',
    },
    {
      ...{ name: 'apiKey', kind: 'password', label: texts.apiKey },
      help: provider ? credentialsText.stays : texts.apiKeyHelp,
    },
    {
      name: 'defaultModel',
      kind: 'text',
      mono: true,
      isRequired: true,
      label: texts.model,
      help: texts.modelHelp,
    },
    { name: 'enabled', kind: 'check', label: texts.enabled },
  ];
  return (
    <RecordDialog
      title={provider ? variablesText.edit(provider.id) : texts.add}
      fields={fields}
      first={{
        ...{ kind: provider?.kind ?? 'openai-compatible', id: provider?.id ?? '', accountId: '', apiKey: '' },
        ...{ baseUrl: provider?.baseUrl ?? '', defaultModel: provider?.defaultModel ?? '' },
        enabled: String(provider?.enabled ?? true),
      }}
      send={async ({ kind, id, baseUrl, accountId, apiKey, defaultModel, enabled }) => {
        const shared = {
          ...{ defaultModel, enabled: enabled === 'true' },
          ...(apiKey === '' ? {} : { apiKey }),
          ...(baseUrl.trim() === '' || kind === 'workers-ai' ? {} : { baseUrl: baseUrl.trim() }),
        };
        if (provider) {
          const params = { aiProviderId: provider.id };
          await operatorApi.call('PATCH /api/system/ai-providers/:aiProviderId', { params, body: shared });
        } else {
          const own = {
            id: id.trim(),
            kind,
            ...(kind === 'workers-ai' ? { accountId: accountId.trim() } : {}),
          };
          // The server checks which fields belong to which kind.
          const body = { ...shared, ...own } as PostSystemAiProvidersBody;
          await operatorApi.call('POST /api/system/ai-providers', { body });
        }
        await renew('ai-providers');
        return credentialsText.saved(provider?.id ?? id);
      }}
      onClose={props.onClose}
    />
  );
}
