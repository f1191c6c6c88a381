/** Identity providers of the instance: the operator connects, changes and tests them. */

import {
  callbackPathOf,
  checkedIssuer,
  clientSecretSchema,
  type IdentityProviderKind,
  identityProvidersMax,
  type JoiningRole,
} from '../../domain/access/identity-providers.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import type { ProviderCheck } from '../../gateways/identity/check-provider.ts';
import type { OidcClient } from '../../gateways/identity/oidc-client.ts';
import { clientSecretPlace } from '../../security/secret-places.ts';
import { selectProjectIds, selectTenant } from '../../store/access/api-key-store.ts';
import {
  type IdentityProviderRow,
  insertIdentityProvider,
  updateIdentityProvider,
} from '../../store/access/identity-provider-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readSettings } from '../instance/change-settings.ts';
import { openInstanceSecret, sealInstanceSecret } from '../seal-instance-secret.ts';

/** The terms on which people become members without an invitation. */
export interface Joining {
  role: JoiningRole;
  projects: 'all' | string[];
}

export interface ProviderFields {
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  emailDomains: string[];
  trustsEmail: boolean;
  newMembers: Joining | null;
  enabled: boolean;
  ownCallback: boolean;
}

export interface NewProvider extends ProviderFields {
  id: string;
  kind: IdentityProviderKind;
  tenantId: string;
}

/** @throws ApiError `invalid_request`; `conflict` if the id is in use; `quota_exceeded` */
export async function connectIdentityProvider(
  deps: Dependencies,
  wanted: NewProvider,
): Promise<IdentityProviderRow> {
  const { id, kind, tenantId, clientSecret } = wanted;
  const [tenant] = await deps.db.batch([selectTenant(deps.db, tenantId)]);
  if (tenant.length === 0)
    throw new ApiError('invalid_request', 'The field "tenantId" is not the id of a tenant.');
  const columns = await checkedColumns(deps, { kind, tenantId }, wanted);
  const at = deps.now();
  const row = {
    ...{ id, kind, tenantId, ...columns, createdAt: at, updatedAt: at },
    sealedClientSecret: await sealInstanceSecret(deps, clientSecretPlace(id), { clientSecret }),
  };
  const outcome = await insertIdentityProvider(deps.db, row, identityProvidersMax);
  if (outcome === 'taken')
    throw new ApiError('conflict', `An identity provider "${id}" exists: choose another id.`);
  if (outcome === 'full')
    throw new ApiError(
      'quota_exceeded',
      `There are at most ${identityProvidersMax} identity providers: remove one.`,
    );
  return row;
}

export type ProviderChange = { [Field in keyof ProviderFields]?: ProviderFields[Field] | undefined };

/**
 * Changes the given fields.
 * @throws ApiError as connectIdentityProvider; `invalid_request` if the stored secret would be sent to another server
 */
export async function changeIdentityProvider(
  deps: Dependencies,
  provider: IdentityProviderRow,
  change: ProviderChange,
): Promise<IdentityProviderRow> {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const { clientSecret } = await openClientSecret(deps, provider);
  const wanted: ProviderFields = { ...provider, clientSecret, newMembers: joiningOf(provider), ...given };
  const columns = await checkedColumns(deps, provider, wanted);
  const moves = new URL(columns.issuer).origin !== new URL(provider.issuer).origin;
  if (moves && clientSecret !== null && change.clientSecret === undefined)
    throw new ApiError(
      'invalid_request',
      'The field "issuer" points to another server, and the stored secret is not sent there: also set "clientSecret".',
    );
  const secret = { clientSecret: wanted.clientSecret };
  const row = await updateIdentityProvider(deps.db, provider.id, {
    ...{ ...columns, updatedAt: deps.now() },
    sealedClientSecret: await sealInstanceSecret(deps, clientSecretPlace(provider.id), secret),
  });
  if (!row) throw absent('identity provider');
  return row;
}

/** The terms for joining, in the API's form. */
export const joiningOf = ({ joiningRole, joiningProjects }: IdentityProviderRow): Joining | null =>
  joiningRole === null ? null : { role: joiningRole, projects: joiningProjects ?? 'all' };

/** Tries a provider. @param origin origin of this instance in browsers */
export async function testIdentityProvider(
  deps: Dependencies,
  provider: IdentityProviderRow,
  origin: string,
): Promise<ProviderCheck[]> {
  const client = await clientOf(deps, provider);
  return provider.kind === 'oidc'
    ? deps.identityServers.check(client, origin + callbackPathOf(provider))
    : deps.identityServers.checkAccess(client);
}

/** This instance as a client of the provider. @throws ApiError `conflict` if the secret can't be decrypted */
export async function clientOf(deps: Dependencies, provider: IdentityProviderRow): Promise<OidcClient> {
  const { issuer, clientId } = provider;
  const { clientSecret } = await openClientSecret(deps, provider);
  const { allowPrivateSignInProviders: allowsPrivate } = await readSettings(deps);
  return { issuer, clientId, clientSecret, allowsPrivate };
}

const openClientSecret = (deps: Dependencies, { id, name, sealedClientSecret }: IdentityProviderRow) =>
  openInstanceSecret(
    deps,
    clientSecretPlace(id),
    sealedClientSecret,
    clientSecretSchema,
    `the identity provider "${name}"`,
  );

async function checkedColumns(
  deps: Dependencies,
  { kind, tenantId }: Pick<IdentityProviderRow, 'kind' | 'tenantId'>,
  wanted: ProviderFields,
) {
  const { name, clientId, clientSecret, emailDomains, trustsEmail, newMembers, enabled, ownCallback } =
    wanted;
  const { allowPrivateSignInProviders } = await readSettings(deps);
  const issuer = checkedIssuer(kind, wanted.issuer, allowPrivateSignInProviders);
  if (kind === 'cloudflare-access' && clientSecret !== null)
    throw new ApiError(
      'invalid_request',
      'The field "clientSecret" must be null: Cloudflare Access has none.',
    );
  // The policy of Cloudflare Access decides who gets here. With other providers, anybody may have an account.
  if (kind === 'oidc' && newMembers !== null && emailDomains.length === 0)
    throw new ApiError(
      'invalid_request',
      'The field "emailDomains" is empty: say whose addresses may join, or set "newMembers" to null.',
    );
  await assertProjects(deps, tenantId, newMembers);
  return {
    ...{ name, issuer, clientId, emailDomains, trustsEmail, enabled, ownCallback },
    joiningRole: newMembers?.role ?? null,
    joiningProjects: newMembers === null || newMembers.projects === 'all' ? null : newMembers.projects,
  };
}

async function assertProjects(
  { db }: Dependencies,
  tenantId: string,
  joining: Joining | null,
): Promise<void> {
  if (joining === null || joining.projects === 'all') return;
  const [known] = await db.batch([selectProjectIds(db, tenantId, joining.projects)]);
  const unknown = joining.projects.find((id) => !known.some((project) => project.id === id));
  if (unknown === undefined) return;
  throw new ApiError(
    'invalid_request',
    `The field "newMembers.projects" contains "${unknown}", which is not the id of a project of this tenant.`,
  );
}
