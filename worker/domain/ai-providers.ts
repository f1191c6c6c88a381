/** AI providers of the instance: what can be connected, and which one explains a failure. */
import { z } from 'zod';
import { ApiError } from './errors.ts';
import { isPrivateHost } from './private-host.ts';

export const aiProviderKinds = ['openai-compatible', 'anthropic', 'workers-ai'] as const;
export type AiProviderKind = (typeof aiProviderKinds)[number];

/** Rules of the platform's own (failure-rules/): needs no row, no key and no network. */
export const builtinProviderId = 'builtin';

/** The operator chooses it: clients name the provider by it. */
export const aiProviderIdSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be 1 to 40 lower-case letters, digits and dashes');

/** What a stored provider's secret column holds. */
export const aiCredentialsSchema = z.object({ apiKey: z.string().nullable() });
export type AiCredentials = z.infer<typeof aiCredentialsSchema>;

export const anthropicBaseUrl = 'https://api.anthropic.com/v1';

/** The OpenAI-compatible endpoint of an account (developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility). */
export const workersAiBaseUrl = (accountId: string) =>
  `https://api.cloudflare.com/client/v4/accounts/${accountId}/ai/v1`;

export interface AiProvider {
  id: string;
  enabled: boolean;
}

/** Which provider is to explain, and why not the one that was meant. */
export type ChosenProvider<Provider> =
  | { provider: Provider; fallbackReason: null }
  | { provider: null; fallbackReason: string | null };

/**
 * The provider that the client names, else the instance's default, else the builtin one (null).
 * @throws ApiError `invalid_request` for an id that nobody connected; `conflict` for a disabled provider.
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
    `The field "providerId" names "${id}", which ${state}: use ${others.join(', ')}.`,
  );
}

/**
 * A base URL in the form that is stored: without a slash at its end.
 * Public https alone, so that the control plane reaches into no network by it, unless the operator allows private addresses and plain
 * http for models of their own (setting `allowPrivateAiProviders`). Names are judged as they are written: where the Worker runs, nobody
 * resolves them.
 * @throws ApiError `invalid_request`.
 */
export function checkedBaseUrl(text: string, settings: { allowPrivateAiProviders: boolean }): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw refusal('must be an https URL');
  if (url.username || url.password || url.search || url.hash) {
    throw refusal('must be a URL without user, password, query and fragment: the key has a field of its own');
  }
  const wayOut = 'unless the setting "allowPrivateAiProviders" is true';
  if (!settings.allowPrivateAiProviders) {
    if (url.protocol === 'http:') throw refusal(`must begin with https://, ${wayOut}`);
    if (isPrivateHost(url.hostname)) throw refusal(`must not lead to a private address, ${wayOut}`);
  }
  return url.href.replace(/\/+$/, '');
}

function refusal(predicate: string): ApiError {
  return new ApiError('invalid_request', `The field "baseUrl" ${predicate}.`);
}
