/** AI providers of the instance: the kinds that can be connected, and the choice of a provider for a failure. */
import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { isPrivateHost } from '../names/private-host.ts';

export const aiProviderKinds = ['openai-compatible', 'anthropic', 'workers-ai'] as const;
export type AiProviderKind = (typeof aiProviderKinds)[number];

/** The platform's own rules (failure-rules/): always available, without a row, key or network. */
export const builtinProviderId = 'builtin';

/** Chosen by the operator; clients refer to the provider by this id. */
export const aiProviderIdSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be 1 to 40 lower-case letters, digits and dashes');

/** The content of a stored provider's sealed secret column. */
export const aiCredentialsSchema = z.object({ apiKey: z.string().nullable() });
export type AiCredentials = z.infer<typeof aiCredentialsSchema>;

export const anthropicBaseUrl = 'https://api.anthropic.com/v1';

/** The OpenAI-compatible endpoint of a Cloudflare account (developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility). */
export const workersAiBaseUrl = (accountId: string) =>
  `https://api.cloudflare.com/client/v4/accounts/${accountId}/ai/v1`;

export interface AiProvider {
  id: string;
  enabled: boolean;
}

/** The provider to ask (null: builtin), and why the default provider could not be used. */
export type ChosenProvider<Provider> =
  | { provider: Provider; fallbackReason: null }
  | { provider: null; fallbackReason: string | null };

/**
 * Chooses the provider that the client specifies, or else the instance's default, or else the builtin one (null).
 * @throws ApiError `invalid_request` for an id that is not connected; `conflict` for a disabled provider.
 */
export function chooseProvider<Provider extends AiProvider>(
  wanted: string | undefined,
  settings: { defaultAiProviderId: string | null },
  providers: readonly Provider[],
): ChosenProvider<Provider> {
  const id = wanted ?? settings.defaultAiProviderId ?? builtinProviderId;
  if (id === builtinProviderId) return { provider: null, fallbackReason: null };
  const provider = providers.find((one) => one.id === id);
  if (provider?.enabled) return { provider, fallbackReason: null };
  const state = provider ? 'is disabled' : 'is not connected';
  if (wanted === undefined)
    return { provider: null, fallbackReason: `The default AI provider "${id}" ${state}.` };
  const others = [builtinProviderId, ...providers.filter(({ enabled }) => enabled).map((one) => one.id)];
  throw new ApiError(
    provider ? 'conflict' : 'invalid_request',
    `The AI provider "${id}" in "providerId" ${state}: use ${others.join(' or ')}.`,
  );
}

/**
 * Normalises a base URL for storage: no slash at the end. Only public https is allowed, so that the URL gives no access to internal
 * networks, unless the operator allows plain http and private addresses for self-hosted models (setting `allowPrivateAiProviders`).
 * Host names are checked as written, because the Worker can't resolve them.
 * @throws ApiError `invalid_request`.
 */
export function checkedBaseUrl(text: string, settings: { allowPrivateAiProviders: boolean }): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw refusal('must be an https URL');
  if (url.username || url.password || url.search || url.hash) {
    throw refusal('must be a URL without user, password, query and fragment: send the key in "apiKey"');
  }
  const wayOut = 'unless the setting "allowPrivateAiProviders" is true';
  if (!settings.allowPrivateAiProviders) {
    if (url.protocol === 'http:') throw refusal(`must start with https://, ${wayOut}`);
    if (isPrivateHost(url.hostname)) throw refusal(`must not point to a private address, ${wayOut}`);
  }
  return url.href.replace(/\/+$/, '');
}

function refusal(predicate: string): ApiError {
  return new ApiError('invalid_request', `The field "baseUrl" ${predicate}.`);
}
