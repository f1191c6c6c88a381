import { and, eq, sql } from 'drizzle-orm';
import { gitCredentialsPerTenant } from '../../domain/sources/git-credentials.ts';
import type { UsableGitHubApp } from '../../domain/sources/github-app.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { gitCredentials, projects } from '../schema/projects.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';
import { loginsOfTenant } from './registry-store.ts';

export type GitCredentialRow = typeof gitCredentials.$inferSelect;
export type SealedGitCredential = Pick<
  GitCredentialRow,
  'id' | 'projectId' | 'host' | 'username' | 'sealedToken' | 'commitStatus'
> & {
  /** The GitHub App that creates its tokens; `null` for a stored token. */
  app: UsableGitHubApp | null;
};

/** A tenant's credentials, in order of hosts; the credential for all projects is first. */
export function listGitCredentials(db: Database, tenantId: string, page: Page) {
  const { after, orderBy, limit } = keysetOf(
    { at: gitCredentials.host, key: gitCredentials.id },
    'oldest',
    page,
  );
  return db
    .select()
    .from(gitCredentials)
    .where(and(eq(gitCredentials.tenantId, tenantId), after))
    .orderBy(...orderBy)
    .limit(limit);
}

export async function findGitCredential(db: Database, id: string): Promise<GitCredentialRow | undefined> {
  const [row] = await db.select().from(gitCredentials).where(eq(gitCredentials.id, id));
  return row;
}

/** A credential of the caller's tenant, for a caller with all projects. */
export function selectScopedGitCredential(db: Database, tokenId: string, id: string) {
  return db
    .select({ gitCredential: columnsAs(gitCredentials, 'gitCredential') })
    .from(gitCredentials)
    .innerJoin(apiKeys, and(eq(apiKeys.tenantId, gitCredentials.tenantId), eq(apiKeys.tokenId, tokenId)))
    .where(and(eq(gitCredentials.id, id), eq(apiKeys.allProjects, true)))
    .limit(1);
}

/**
 * @returns no row if the tenant has the most allowed, or does not own the project. Violates UNIQUE if there is a credential for
 * the host
 */
export function insertGitCredential(db: Database, row: GitCredentialRow) {
  const {
    id,
    tenantId,
    projectId,
    host,
    username,
    sealedToken,
    gitHubAppId,
    commitStatus,
    createdAt,
    updatedAt,
  } = row;
  return db.all<{ id: string }>(sql`
    insert into git_credentials (id, tenant_id, project_id, host, username, sealed_token, github_app_id, commit_status, created_at, updated_at)
    select ${id}, tenants.id, ${projectId}, ${host}, ${username}, ${sealedToken}, ${gitHubAppId}, ${commitStatus}, ${createdAt}, ${updatedAt} from tenants
    where tenants.id = ${tenantId}
      and (${projectId} is null or exists (select 1 from projects where id = ${projectId} and tenant_id = ${tenantId}))
      and (select count(*) from git_credentials where tenant_id = ${tenantId}) < ${gitCredentialsPerTenant}
    returning id`);
}

export const updateGitCredential = (
  db: Database,
  id: string,
  changes: Partial<
    Pick<GitCredentialRow, 'username' | 'sealedToken' | 'commitStatus' | 'commitStatusFailure' | 'updatedAt'>
  >,
) => db.update(gitCredentials).set(changes).where(eq(gitCredentials.id, id)).returning();

export const deleteGitCredential = (db: Database, id: string) =>
  db.delete(gitCredentials).where(eq(gitCredentials.id, id));

/** The credentials that services of `projects` may use, for the selection that reads a job, in the same round trip. */
export const credentialsOfProject = sql`(select json_group_array(json_object(
    'id', id, 'projectId', project_id, 'host', host, 'username', username, 'sealedToken', sealed_token, 'commitStatus', commit_status,
    'app', json((select json_object('id', app.id, 'host', app.host, 'appId', app.app_id, 'name', app.name, 'sealedSecrets', app.sealed_secrets)
      from github_apps app where app.id = git_credentials.github_app_id))))
  from git_credentials where git_credentials.tenant_id = projects.tenant_id
    and (git_credentials.project_id is null or git_credentials.project_id = projects.id))`.mapWith(
  (text: string): SealedGitCredential[] => JSON.parse(text),
);

/** The logins that deployments of a project may use, at registries and git hosts: one row. */
export const selectSealedLogins = (db: Database, projectId: string) =>
  db
    .select({
      registries: loginsOfTenant.as('registries'),
      gitCredentials: credentialsOfProject.as('git_credentials'),
    })
    .from(projects)
    .where(eq(projects.id, projectId));
