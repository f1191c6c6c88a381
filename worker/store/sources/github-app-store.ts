/** GitHub Apps of tenants, and the services that their pushes deploy. */
import { and, eq, gt, sql } from 'drizzle-orm';
import { apiKeys } from '../schema/api-keys.ts';
import { gitCredentials, gitHubApps, projects } from '../schema/projects.ts';
import { services } from '../schema/services.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';
import { type GitCredentialRow, insertGitCredential } from './git-credential-store.ts';

export type GitHubAppRow = typeof gitHubApps.$inferSelect;

export function listGitHubApps(db: Database, tenantId: string, page: Page) {
  const { after, orderBy, limit } = keysetOf({ at: gitHubApps.host, key: gitHubApps.id }, 'oldest', page);
  return db
    .select()
    .from(gitHubApps)
    .where(and(eq(gitHubApps.tenantId, tenantId), after))
    .orderBy(...orderBy)
    .limit(limit);
}

/** An app of the caller's tenant, for a caller with all projects. */
export function selectScopedGitHubApp(db: Database, tokenId: string, id: string) {
  return db
    .select({ gitHubApp: columnsAs(gitHubApps, 'gitHubApp') })
    .from(gitHubApps)
    .innerJoin(apiKeys, and(eq(apiKeys.tenantId, gitHubApps.tenantId), eq(apiKeys.tokenId, tokenId)))
    .where(and(eq(gitHubApps.id, id), eq(apiKeys.allProjects, true)))
    .limit(1);
}

/** An app without a scope check: none of it may be used before the signature is verified. */
export function selectSignedGitHubApp(db: Database, id: string) {
  return db
    .select({ gitHubApp: columnsAs(gitHubApps, 'gitHubApp') })
    .from(gitHubApps)
    .where(eq(gitHubApps.id, id))
    .limit(1);
}

/**
 * Begins a registration; an unfinished one of the same host is replaced.
 * @returns false if the tenant has an app or a credential for the host
 */
export async function insertGitHubApp(db: Database, row: GitHubAppRow): Promise<boolean> {
  const {
    id,
    tenantId,
    host,
    organization,
    requestedBy,
    stateHash,
    stateExpiresAt,
    deployOnPush,
    commitStatus,
    createdAt,
  } = row;
  const [, written] = await db.batch([
    db.run(sql`delete from github_apps where tenant_id = ${tenantId} and host = ${host} and app_id is null`),
    db.all<{ id: string }>(sql`
      insert into github_apps (id, tenant_id, host, organization, requested_by, state_hash, state_expires_at, deploy_on_push, commit_status, created_at, updated_at)
      select ${id}, id, ${host}, ${organization}, ${requestedBy}, ${stateHash}, ${stateExpiresAt}, ${deployOnPush}, ${commitStatus}, ${createdAt}, ${createdAt}
      from tenants where id = ${tenantId}
        and not exists (select 1 from github_apps where tenant_id = ${tenantId} and host = ${host})
        and not exists (select 1 from git_credentials where tenant_id = ${tenantId} and host = ${host} and project_id is null)
      returning id`),
  ]);
  return written.length > 0;
}

/** The registration with this state parameter, while it can be finished. */
export async function findRegistration(
  db: Database,
  stateHash: string,
  now: number,
): Promise<GitHubAppRow | undefined> {
  const isOpen = and(eq(gitHubApps.stateHash, stateHash), gt(gitHubApps.stateExpiresAt, now));
  const [row] = await db.select().from(gitHubApps).where(isOpen);
  return row;
}

export type Registered = Pick<
  GitHubAppRow,
  'appId' | 'slug' | 'name' | 'owner' | 'htmlUrl' | 'sealedSecrets'
>;

/**
 * Finishes a registration, with the credential that uses the app.
 * @returns false if it has been finished, replaced or deleted since, or if the tenant has the most credentials allowed; nothing is written
 * then.
 *   It violates UNIQUE if the host has a credential now, and FOREIGN KEY if the registration was deleted
 */
export async function finishGitHubApp(
  db: Database,
  { id, stateHash }: GitHubAppRow,
  registered: Registered & { updatedAt: number },
  credential: GitCredentialRow,
): Promise<boolean> {
  const isOpen = and(eq(gitHubApps.id, id), eq(gitHubApps.stateHash, stateHash ?? ''));
  const hasCredential = sql`exists (select 1 from git_credentials where git_credentials.id = ${credential.id})`;
  const [, finished] = await db.batch([
    insertGitCredential(db, credential),
    db
      .update(gitHubApps)
      .set({ ...registered, stateHash: null, stateExpiresAt: null })
      .where(and(isOpen, hasCredential))
      .returning({ id: gitHubApps.id }),
    db
      .delete(gitCredentials)
      .where(
        and(
          eq(gitCredentials.id, credential.id),
          sql`not exists (select 1 from github_apps where id = ${id} and app_id is not null)`,
        ),
      ),
  ]);
  return finished.length > 0;
}

/** @returns the changed row; its credential reports statuses if the app does */
export async function updateGitHubApp(
  db: Database,
  id: string,
  changes: Partial<Pick<GitHubAppRow, 'deployOnPush' | 'commitStatus'>> & { updatedAt: number },
): Promise<GitHubAppRow | undefined> {
  const { commitStatus, updatedAt } = changes;
  const status =
    commitStatus === undefined ? {} : { commitStatus: commitStatus ? ('github' as const) : null };
  const [[row]] = await db.batch([
    db.update(gitHubApps).set(changes).where(eq(gitHubApps.id, id)).returning(),
    db
      .update(gitCredentials)
      .set({ ...status, updatedAt })
      .where(eq(gitCredentials.gitHubAppId, id)),
  ]);
  return row;
}

/** Stores that a delivery was signed with the secret of an app. */
export const noteVerifiedGitHubApp = (db: Database, id: string, verifiedAt: number) =>
  db.update(gitHubApps).set({ verifiedAt }).where(eq(gitHubApps.id, id));

/** Also deletes the app's credential. */
export const deleteGitHubApp = (db: Database, id: string) =>
  db.delete(gitHubApps).where(eq(gitHubApps.id, id));

/** Maximum number of services that a push deploys: each needs a few statements of a request's budget. */
export const servicesPerPush = 40;

/** Services of a tenant that are built from a repository and have this branch; at most one more than a push can deploy. */
export function selectServicesOfRepository(
  db: Database,
  tenantId: string,
  { urls, branch }: { urls: readonly string[]; branch: string },
) {
  const places = sql.join(
    urls.map((url) => sql`${url}`),
    sql`, `,
  );
  return db
    .select({ id: services.id, pushSettings: services.pushSettings })
    .from(services)
    .innerJoin(projects, eq(projects.id, services.projectId))
    .where(
      and(
        eq(projects.tenantId, tenantId),
        eq(services.kind, 'git'),
        eq(services.branch, branch),
        sql`lower(${services.repoUrl}) in (${places})`,
      ),
    )
    .orderBy(services.id)
    .limit(servicesPerPush + 1);
}
