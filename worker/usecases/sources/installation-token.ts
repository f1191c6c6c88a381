/**
 * Tokens of a GitHub App for its installations, which are valid for an hour:
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-an-installation-access-token-for-a-github-app
 */
import type { z } from 'zod';
import { ApiError } from '../../domain/errors.ts';
import { settingsOf } from '../../domain/instance/settings.ts';
import { allowsPrivateFor } from '../../domain/names/webhook-url.ts';
import type { UsableGitHubApp } from '../../domain/sources/github-app.ts';
import {
  gitHubApiOf,
  gitHubSecretsSchema,
  installationSchema,
  installationTokenSchema,
} from '../../domain/sources/github-app.ts';
import { GitHubFailure, type GitHubRequest } from '../../gateways/github-api.ts';
import { githubJwt } from '../../security/github-jwt.ts';
import { gitHubSecretsPlace } from '../../security/secret-places.ts';
import { selectSettings } from '../../store/instance/settings-store.ts';
import { selectSignedGitHubApp } from '../../store/sources/github-app-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { openInstanceSecret } from '../seal-instance-secret.ts';

export type GitHubNeeds = Pick<Dependencies, 'db' | 'envelope' | 'gitHub' | 'gitHubTokens' | 'now'>;

/** The permissions of a token. A host that fetches gets a token that only reads; the token that writes statuses is never sent to a host. */
const permissions = {
  clone: { contents: 'read' },
  status: { statuses: 'write' },
  checks: { checks: 'read', statuses: 'read' },
  list: { metadata: 'read' },
} as const;

export interface TokenScope {
  purpose: keyof typeof permissions;
  /** `owner/repo`, whose installation creates the token. */
  repository: string;
  /** Whether the token is also for the other repositories of the installation, for private submodules. */
  isWide?: boolean;
}

/** The least remaining time of a reused token: one that expires during a long fetch would stop it. */
const leftMinMs = { clone: 20 * 60_000, status: 60_000, checks: 60_000, list: 60_000 };

/**
 * A token of the installation with the repository, from memory while it is valid for long enough.
 * @returns undefined if the app is not installed for the repository
 * @throws ApiError `unavailable` if GitHub does not answer, `provider_refused` if it refuses the app or the repository was renamed
 */
export async function installationToken(
  deps: GitHubNeeds,
  app: UsableGitHubApp,
  { purpose, repository, isWide = false }: TokenScope,
): Promise<string | undefined> {
  const name = `${app.id} ${purpose} ${isWide} ${repository.toLowerCase()}`;
  const known = deps.gitHubTokens.get(name);
  if (known && known.expiresAt - deps.now() > leftMinMs[purpose]) return known.token;
  const jwt = await appJwt(deps, app);
  const installation = await askGitHub(deps, app, {
    ...{ method: 'GET', token: jwt, url: `${gitHubApiOf(app.host)}/repos/${repository}/installation` },
  });
  if (installation.status === 404) return undefined;
  // https://docs.github.com/en/rest/apps/apps#get-a-repository-installation-for-the-authenticated-app: 301, moved permanently
  if (installation.status === 301)
    throw new ApiError(
      'provider_refused',
      `${repository} was renamed or moved at ${app.host}: change the repository of the service.`,
    );
  const { id } = understood(app, installation, installationSchema);
  const only = isWide ? {} : { repositories: [repository.split('/')[1] ?? ''] };
  return mint(deps, app, {
    jwt,
    installationId: id,
    name,
    body: { permissions: permissions[purpose], ...only },
  });
}

/** A token that lists the repositories of an installation. @throws ApiError as `installationToken`; `not_found` */
export async function listingToken(
  deps: GitHubNeeds,
  app: UsableGitHubApp,
  installationId: number,
): Promise<string> {
  const name = `${app.id} list ${installationId}`;
  const known = deps.gitHubTokens.get(name);
  if (known && known.expiresAt - deps.now() > leftMinMs.list) return known.token;
  const jwt = await appJwt(deps, app);
  return mint(deps, app, { jwt, installationId, name, body: { permissions: permissions.list } });
}

async function mint(
  deps: GitHubNeeds,
  app: UsableGitHubApp,
  {
    jwt,
    installationId,
    name,
    body,
  }: { jwt: string; installationId: number; name: string; body: { permissions: object } },
): Promise<string> {
  const url = `${gitHubApiOf(app.host)}/app/installations/${installationId}/access_tokens`;
  const answer = await askGitHub(deps, app, { method: 'POST', token: jwt, url, body });
  if (answer.status === 404)
    throw new ApiError('not_found', 'The GitHub App has no installation with this id: list them again.');
  // Permissions that the owner has not granted (https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app).
  if (answer.status === 422 && 'checks' in body.permissions)
    throw new ApiError(
      'provider_refused',
      `${app.host} does not give the GitHub App ${app.name} the permissions that it needs here (HTTP 422): add "Checks: read-only" and "Commit statuses" in the app's settings there, and accept them for the installation.`,
    );
  const { token, expires_at } = understood(app, answer, installationTokenSchema);
  deps.gitHubTokens.set(name, { token, expiresAt: Date.parse(expires_at) });
  return token;
}

/** @throws ApiError `conflict` if the private key can't be decrypted or parsed */
export async function appJwt(deps: GitHubNeeds, app: UsableGitHubApp): Promise<string> {
  const { id, appId, name, sealedSecrets } = app;
  const owner = `the GitHub App ${name}`;
  const { privateKey } = await openInstanceSecret(
    deps,
    gitHubSecretsPlace(id),
    sealedSecrets,
    gitHubSecretsSchema,
    owner,
  );
  try {
    return await githubJwt(appId, privateKey, deps.now());
  } catch {
    throw new ApiError(
      'conflict',
      `The private key of ${owner} can't be used: delete the app here, and register it again.`,
    );
  }
}

/** @throws ApiError `unavailable` */
export async function askGitHub(
  { db, gitHub }: Pick<GitHubNeeds, 'db' | 'gitHub'>,
  { id, host }: { id: string; host: string },
  request: Omit<GitHubRequest, 'allowsPrivate'>,
): Promise<{ status: number; body: unknown }> {
  try {
    const answer = await gitHub.ask({ ...request, allowsPrivate: await allowsPrivate(db, id, host) });
    if (answer.isLimited) throw new GitHubFailure(`${host} takes no more requests for now.`);
    if (answer.status < 500) return answer;
    throw new GitHubFailure(`${host} answered with HTTP ${answer.status}.`);
  } catch (error) {
    if (error instanceof GitHubFailure)
      throw new ApiError('unavailable', `${error.message} Try again later.`);
    throw error;
  }
}

/** Whether the operator allows that the host of a tenant's app is a private address. */
async function allowsPrivate(db: Dependencies['db'], id: string, host: string): Promise<boolean> {
  if (host === 'github.com') return false;
  const [[found], rows] = await db.batch([selectSignedGitHubApp(db, id), selectSettings(db)]);
  return found !== undefined && allowsPrivateFor(found.gitHubApp.tenantId, settingsOf(rows));
}

/** @throws ApiError `provider_refused` for a refusal; `unavailable` for an answer of another form */
export function understood<Value>(
  { host, name }: { host: string; name: string },
  { status, body }: { status: number; body: unknown },
  schema: z.ZodType<Value>,
): Value {
  if (status === 401)
    throw new ApiError(
      'provider_refused',
      `${host} does not accept the GitHub App ${name} (HTTP 401): it was deleted there, or its private key was. Delete the app here, and register it again.`,
    );
  if (status < 200 || status >= 300)
    throw new ApiError('provider_refused', `${host} refused the GitHub App ${name} (HTTP ${status}).`);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new ApiError('unavailable', `${host} gave an answer that was not understood: try again later.`);
}
