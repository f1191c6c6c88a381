/** AI providers that explain failed deployments, for the operator. */

import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import {
  aiProviderIdSchema,
  aiProviderKinds,
  anthropicBaseUrl,
  workersAiBaseUrl,
} from '../../domain/instance/ai-providers.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { aiProviderResource } from '../../http/loaders/operator-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import {
  type AiProviderRow,
  deleteAiProvider,
  selectAiProviders,
} from '../../store/instance/ai-provider-store.ts';
import { testAiProvider } from '../../usecases/instance/ask-ai-provider.ts';
import { readSettings } from '../../usecases/instance/change-settings.ts';
import { changeAiProvider, connectAiProvider } from '../../usecases/instance/connect-ai-provider.ts';

const path = '/api/system/ai-providers';

const providerSchema = z.strictObject({
  id: z.string().describe('Id of the provider.'),
  kind: z.enum(aiProviderKinds).meta(notes.kind),
  baseUrl: z.string().meta(notes.baseUrl),
  defaultModel: z.string().meta(notes.defaultModel),
  enabled: z.boolean().meta(notes.enabled),
  createdAt: timestampSchema.meta(notes.createdAt),
  updatedAt: timestampSchema.meta(notes.updatedAt),
});
const providerReply = z.strictObject({ provider: providerSchema });

/** Printable characters only: the key is sent in a header. */
const apiKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,500}$/, 'must be 1 to 500 printable characters without spaces');
const baseUrl = z.string().max(500);
const model = z.string().trim().min(1).max(200);
const common = {
  id: aiProviderIdSchema.meta(note('Id of the provider, chosen by you.', 'llm')),
  defaultModel: model.meta(notes.defaultModel),
  enabled: z.boolean().default(true).meta(notes.enabled),
};

const newProvider = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      ...common,
      kind: z.literal('openai-compatible').meta(notes.kind),
      /** Including the version: `https://api.openai.com/v1`. */
      baseUrl: baseUrl.meta(notes.baseUrl),
      /** `null` if the server requires no key. */
      apiKey: apiKey.nullable().default(null).meta(notes.apiKey),
    }),
    z.strictObject({
      ...common,
      kind: z.literal('anthropic').meta(notes.kind),
      baseUrl: baseUrl.default(anthropicBaseUrl).meta(notes.baseUrl),
      apiKey: apiKey.meta(notes.apiKey),
    }),
    z.strictObject({
      ...common,
      kind: z.literal('workers-ai').meta(notes.kind),
      accountId: z
        .string()
        .regex(/^[0-9a-f]{32}$/, 'must be the id of a Cloudflare account: 32 hexadecimal digits')
        .describe('Id of the account.'),
      apiKey: apiKey.meta(notes.apiKey),
    }),
  ],
  { error: `must be one of ${aiProviderKinds.map((kind) => `"${kind}"`).join(', ')}` },
);

const list = defineRoute({
  method: 'GET',
  path,
  access: 'operator',
  summary: 'List the connected AI providers; "builtin" is always available.',
  reply: z.strictObject({ providers: z.array(providerSchema) }),
  async handle({ deps }) {
    return { providers: (await selectAiProviders(deps.db)).map(present) };
  },
});

const connect = defineRoute({
  method: 'POST',
  path,
  access: 'operator',
  summary: 'Connect an AI provider: an OpenAI-compatible server, Anthropic, or Workers AI.',
  body: newProvider,
  creates: {},
  reply: providerReply,
  async handle({ deps, body }) {
    const url = body.kind === 'workers-ai' ? workersAiBaseUrl(body.accountId) : body.baseUrl;
    const { id, kind, defaultModel, enabled } = body;
    const wanted = { id, kind, defaultModel, enabled, apiKey: body.apiKey, baseUrl: url };
    return { provider: present(await connectAiProvider(deps, wanted)) };
  },
});

const change = defineRoute({
  method: 'PATCH',
  path: `${path}/:aiProviderId`,
  access: 'operator',
  summary: 'Change the URL, key, model or state of an AI provider; omitted fields keep their values.',
  resource: aiProviderResource,
  body: z
    .strictObject({
      baseUrl: baseUrl.meta(notes.baseUrl),
      apiKey: apiKey.nullable().meta(notes.apiKey),
      defaultModel: model.meta(notes.defaultModel),
      enabled: z.boolean().meta(notes.enabled),
    })
    .partial()
    .refine((body) => Object.keys(body).length > 0, 'is empty: name at least one field to change'),
  reply: providerReply,
  async handle({ deps, resource, body }) {
    return { provider: present(await changeAiProvider(deps, resource.provider, body)) };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: `${path}/:aiProviderId`,
  access: 'operator',
  summary: 'Remove an AI provider and its key.',
  resource: aiProviderResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    await deleteAiProvider(deps.db, resource.provider.id);
    return { ok: true as const };
  },
});

const tryOut = defineRoute({
  method: 'POST',
  path: `${path}/:aiProviderId/test`,
  access: 'operator',
  summary: 'Test an AI provider with one short prompt, to check its URL, key and model.',
  resource: aiProviderResource,
  reply: z.strictObject({
    result: z.strictObject({
      ok: z.boolean().describe('Whether it succeeded.'),
      model: z.string().meta(notes.model),
      detail: z.string().meta(notes.detail),
      durationMs: z.int().meta(notes.durationMs),
    }),
  }),
  async handle({ deps, resource }) {
    return { result: await testAiProvider(deps, resource.provider, await readSettings(deps)) };
  },
});

export const aiProviderRoutes: AnyRoute[] = [list, connect, change, remove, tryOut];

/** The key is never shown again. */
function present(row: AiProviderRow): z.infer<typeof providerSchema> {
  return {
    id: row.id,
    kind: row.kind,
    baseUrl: row.baseUrl ?? '',
    defaultModel: row.defaultModel,
    enabled: row.enabled,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}
