/** AI providers of the instance: the operator connects, changes and tests them. */

import { ApiError } from '../../domain/errors.ts';
import {
  type AiCredentials,
  type AiProviderKind,
  aiCredentialsSchema,
  builtinProviderId,
  checkedBaseUrl,
} from '../../domain/instance/ai-providers.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { aiCredentialsPlace } from '../../security/secret-places.ts';
import {
  type AiProviderRow,
  insertAiProvider,
  updateAiProvider,
} from '../../store/instance/ai-provider-store.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openInstanceSecret, sealInstanceSecret } from '../seal-instance-secret.ts';

type Needs = Pick<Dependencies, 'db' | 'envelope' | 'now'>;

export interface NewAiProvider {
  id: string;
  kind: AiProviderKind;
  baseUrl: string;
  apiKey: string | null;
  defaultModel: string;
  enabled: boolean;
}

/** @throws ApiError `invalid_request` for a base URL that is not allowed; `conflict` if the id is in use */
export async function connectAiProvider(deps: Needs, wanted: NewAiProvider): Promise<AiProviderRow> {
  const { id, kind, defaultModel, enabled, apiKey } = wanted;
  const settings = settingsOf(await selectSettings(deps.db));
  const baseUrl = checkedBaseUrl(wanted.baseUrl, settings);
  const at = deps.now();
  const sealedCredentials = await sealCredentials(deps, id, { apiKey });
  const row = { id, kind, baseUrl, defaultModel, sealedCredentials, enabled, createdAt: at, updatedAt: at };
  const inserted = id === builtinProviderId ? undefined : await insertAiProvider(deps.db, row);
  if (!inserted) throw new ApiError('conflict', `An AI provider "${id}" already exists: choose another id.`);
  return inserted;
}

export interface AiProviderChange {
  baseUrl?: string | undefined;
  apiKey?: string | null | undefined;
  defaultModel?: string | undefined;
  enabled?: boolean | undefined;
}

/**
 * Changes the given fields.
 * @throws ApiError `invalid_request` for a base URL that is not allowed, or that would send the stored key to another server
 */
export async function changeAiProvider(
  deps: Needs,
  provider: AiProviderRow,
  change: AiProviderChange,
): Promise<AiProviderRow> {
  const { apiKey, defaultModel, enabled } = change;
  const baseUrl =
    change.baseUrl === undefined
      ? undefined
      : checkedBaseUrl(change.baseUrl, settingsOf(await selectSettings(deps.db)));
  if (baseUrl && apiKey === undefined && originOf(baseUrl) !== originOf(provider.baseUrl)) {
    throw new ApiError(
      'invalid_request',
      'The field "baseUrl" points to another server, and the stored key is not sent there: also set "apiKey" (null for none).',
    );
  }
  const row = await updateAiProvider(deps.db, provider.id, {
    ...(baseUrl ? { baseUrl } : {}),
    ...(defaultModel === undefined ? {} : { defaultModel }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(apiKey === undefined
      ? {}
      : { sealedCredentials: await sealCredentials(deps, provider.id, { apiKey }) }),
    updatedAt: deps.now(),
  });
  if (!row) throw new ApiError('not_found', 'This AI provider was removed in the meantime.');
  return row;
}

/** @throws ApiError `conflict` if the stored key can't be decrypted */
export function openCredentials(
  deps: Pick<Dependencies, 'envelope'>,
  { id, sealedCredentials }: AiProviderRow,
): Promise<AiCredentials> {
  const owner = `the AI provider "${id}"`;
  return openInstanceSecret(deps, aiCredentialsPlace(id), sealedCredentials, aiCredentialsSchema, owner);
}

function sealCredentials(deps: Needs, id: string, credentials: AiCredentials): Promise<string> {
  return sealInstanceSecret(deps, aiCredentialsPlace(id), credentials);
}

const originOf = (url: string | null) => (url === null ? null : new URL(url).origin);
