/** Credentials of git hosts. */
import { type GitCredential, tokenUser } from '../../../protocol/credentials.ts';
import { UndispatchableError } from '../../domain/deployments/deploy-spec.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import { allowsPrivateFor, checkedWebhookUrl } from '../../domain/names/webhook-url.ts';
import { repositoryOf } from '../../domain/sources/commit-status/commit-status.ts';
import type { StatusApi } from '../../domain/sources/commit-status/status-apis.ts';
import { credentialFor } from '../../domain/sources/credential-for.ts';
import { gitCredentialsPerTenant, normalHost } from '../../domain/sources/git-credentials.ts';
import type { UsableGitHubApp } from '../../domain/sources/github-app.ts';
import { gitCredentialPlace } from '../../security/secret-places.ts';
import { selectProject } from '../../store/projects/project-store.ts';
import {
  type GitCredentialRow,
  insertGitCredential,
  type SealedGitCredential,
  updateGitCredential,
} from '../../store/sources/git-credential-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import { readSettings } from '../instance/change-settings.ts';
import { type GitHubNeeds, installationToken } from './installation-token.ts';

type Needs = Pick<Dependencies, 'db' | 'envelope' | 'now'>;

/**
 * @throws ApiError `conflict` if there is a credential for the host; `not_found` for a project outside the tenant; `quota_exceeded`;
 * `invalid_request` for statuses to a private address
 */
export async function createGitCredential(
  deps: Needs & Pick<Dependencies, 'newId'>,
  tenantId: string,
  given: {
    host: string;
    token: string;
    username?: string | undefined;
    projectId?: string | null | undefined;
    commitStatus: StatusApi | null;
  },
): Promise<GitCredentialRow> {
  const id = deps.newId('gitCredential');
  const at = deps.now();
  const host = normalHost(given.host);
  const { username = tokenUser(host), projectId = null, commitStatus } = given;
  await assertReachable(deps, { tenantId, host }, commitStatus);
  const sealedToken = await deps.envelope.sealForInstance(gitCredentialPlace(id), given.token);
  const row = {
    ...{ id, tenantId, projectId, host, username, sealedToken, commitStatus, commitStatusFailure: null },
    gitHubAppId: null,
    ...{ createdAt: at, updatedAt: at },
  };
  const written = await insertGitCredential(deps.db, row).catch((error: unknown) => {
    if (!violates(error, 'UNIQUE')) throw error;
    const owner = projectId === null ? 'all projects' : 'this project';
    throw new ApiError(
      'conflict',
      `There is a credential for ${host} of ${owner}: change it with PATCH, or delete it first.`,
    );
  });
  if (written.length > 0) return row;
  if (projectId !== null) {
    const [project] = await selectProject(deps.db, projectId);
    if (project?.tenantId !== tenantId) throw absent('project');
  }
  throw new ApiError(
    'quota_exceeded',
    `A tenant can have ${gitCredentialsPerTenant} git credentials: delete one.`,
  );
}

/** @throws ApiError `not_found` if the credential has been deleted since; `invalid_request` for statuses to a private address */
export async function changeGitCredential(
  deps: Needs,
  { id, tenantId, host, gitHubAppId }: GitCredentialRow,
  {
    username,
    token,
    commitStatus,
  }: {
    username?: string | undefined;
    token?: string | undefined;
    commitStatus?: StatusApi | null | undefined;
  },
): Promise<GitCredentialRow> {
  if (gitHubAppId !== null) throw ofGitHubApp(gitHubAppId);
  await assertReachable(deps, { tenantId, host }, commitStatus ?? null);
  const sealed =
    token === undefined
      ? {}
      : { sealedToken: await deps.envelope.sealForInstance(gitCredentialPlace(id), token) };
  const [row] = await updateGitCredential(deps.db, id, {
    ...(username === undefined ? {} : { username }),
    ...sealed,
    ...(commitStatus === undefined ? {} : { commitStatus, commitStatusFailure: null }),
    updatedAt: deps.now(),
  });
  if (!row) throw absent('gitCredential');
  return row;
}

/** The credential of a GitHub App is changed and deleted with the app. */
export const ofGitHubApp = (id: string) =>
  new ApiError(
    'conflict',
    `This credential belongs to a GitHub App: change or delete the app (/api/github-apps/${id}).`,
  );

/** The control plane sends statuses, and must not be directed into its own network. */
async function assertReachable(
  deps: Pick<Dependencies, 'db'>,
  { tenantId, host }: Pick<GitCredentialRow, 'tenantId' | 'host'>,
  commitStatus: StatusApi | null,
): Promise<void> {
  if (commitStatus === null) return;
  const allowsPrivate = allowsPrivateFor(tenantId, await readSettings(deps));
  checkedWebhookUrl(`https://${host}/`, 'host', allowsPrivate);
}

/**
 * The credential for the host of a repository, for a job's sealed box: a host gets only this one. The project's own takes precedence.
 * @param hasSubmodules whether there are submodules, which may be private repositories of the same GitHub App
 * @returns undefined if none is stored for it
 * @throws UndispatchableError with the host whose token is lost, or with the reason why GitHub gave none
 */
export async function openGitCredential(
  { envelope, ...deps }: GitHubNeeds,
  sealed: readonly SealedGitCredential[],
  repositoryUrl: string,
  hasSubmodules: boolean,
): Promise<GitCredential | undefined> {
  const found = credentialFor(sealed, repositoryUrl);
  if (!found) return undefined;
  const { id, projectId, host, username, sealedToken, app } = found;
  if (app) {
    const token = await cloneToken({ envelope, ...deps }, app, repositoryUrl, hasSubmodules);
    return token === undefined ? undefined : { id, host, username, token, ofProject: false };
  }
  try {
    const token = await envelope.openForInstance(gitCredentialPlace(id), sealedToken);
    return { id, host, username, token, ofProject: projectId !== null };
  } catch (cause) {
    console.error(`The credential for ${host} can't be decrypted:`, cause instanceof Error ? cause.name : '');
    throw new UndispatchableError(
      `The git credential for ${host} can't be decrypted: store its token again (PATCH /api/git-credentials/${id}).`,
    );
  }
}

/** A GitHub App that is not installed for the repository gives no token: the repository may be public. */
async function cloneToken(
  deps: GitHubNeeds,
  app: UsableGitHubApp,
  repositoryUrl: string,
  isWide: boolean,
): Promise<string | undefined> {
  const repository = repositoryOf(repositoryUrl);
  if (repository === undefined) return undefined;
  try {
    return await installationToken(deps, app, { purpose: 'clone', repository, isWide });
  } catch (error) {
    if (error instanceof ApiError) throw new UndispatchableError(error.message);
    throw error;
  }
}
