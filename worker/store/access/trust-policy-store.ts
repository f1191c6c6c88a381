/** Trust policies of projects, and the keys that jobs of CI services get by them. */
import { and, asc, eq, sql } from 'drizzle-orm';
import { trustPoliciesMax } from '../../domain/access/trust/trust-policies.ts';
import { apiKeys, usedSignIns } from '../schema/api-keys.ts';
import { projects } from '../schema/projects.ts';
import { trustPolicies } from '../schema/trust-policies.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { inScope } from '../sql/scoped-store.ts';
import { type ApiKeyRow, liveKeysOf, revokeMadeKeys } from './api-key-store.ts';

export type TrustPolicyRow = typeof trustPolicies.$inferSelect;
export interface TrustPolicyView {
  policy: TrustPolicyRow;
  access: ApiKeyRow['access'];
  lastUsedAt: number | null;
}

/** Plain SQL text: the scoped statement joins the caller's key under the same table name. */
const maker = (column: 'access' | 'last_used_at') =>
  sql.raw(`(select maker.${column} from api_keys maker where maker.id = trust_policies.id)`);
const viewColumns = {
  policy: columnsAs(trustPolicies, 'policy'),
  access: sql<ApiKeyRow['access']>`${maker('access')}`.as('policy_access'),
  lastUsedAt: sql<number | null>`${maker('last_used_at')}`.as('policy_last_used_at'),
};

const inOrder = [asc(trustPolicies.createdAt), sql`trust_policies.rowid`] as const;

/** The policies of a project, in order of creation. */
export const listTrustPolicies = (db: Database, projectId: string) =>
  db
    .select(viewColumns)
    .from(trustPolicies)
    .where(eq(trustPolicies.projectId, projectId))
    .orderBy(...inOrder);

/** A policy of a project that the key may see. */
export const selectScopedTrustPolicy = (db: Database, tokenId: string, id: string) =>
  db
    .select({ ...viewColumns, project: columnsAs(projects, 'project') })
    .from(trustPolicies)
    .innerJoin(projects, eq(projects.id, trustPolicies.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(eq(trustPolicies.id, id))
    .limit(1);

export async function findTrustPolicy(db: Database, id: string): Promise<TrustPolicyView | undefined> {
  const [row] = await db.select(viewColumns).from(trustPolicies).where(eq(trustPolicies.id, id));
  return row;
}

/** The policies of the project with this id, or with this slug in the tenant; with the project. */
export const selectPoliciesOfNamed = (db: Database, named: string, tenantOfSlugs: string) =>
  db
    .select({ ...viewColumns, project: columnsAs(projects, 'project') })
    .from(trustPolicies)
    .innerJoin(projects, eq(projects.id, trustPolicies.projectId))
    .where(
      sql`${projects.id} = ${named} or (${projects.slug} = ${named} and ${projects.tenantId} = ${tenantOfSlugs})`,
    )
    .orderBy(...inOrder);

/** @returns false if the project has the most policies */
export async function insertTrustPolicy(
  db: Database,
  key: ApiKeyRow,
  policy: TrustPolicyRow,
): Promise<boolean> {
  const [, , withdrawn] = await db.batch([
    db.insert(apiKeys).values(key),
    db.insert(trustPolicies).values(policy),
    // The policy goes with its key.
    db.all(sql`delete from api_keys where id = ${key.id}
      and (select count(*) from trust_policies where project_id = ${policy.projectId}) > ${trustPoliciesMax} returning id`),
  ]);
  return withdrawn.length === 0;
}

/** Changes a policy and ends its keys. */
export async function updateTrustPolicy(
  db: Database,
  id: string,
  changes: Partial<Omit<TrustPolicyRow, 'id' | 'projectId' | 'createdAt'>>,
  access: ApiKeyRow['access'],
  now: number,
): Promise<TrustPolicyRow | undefined> {
  const [rows] = await db.batch([
    db
      .update(trustPolicies)
      .set({ ...changes, updatedAt: now })
      .where(eq(trustPolicies.id, id))
      .returning(),
    db.update(apiKeys).set({ access }).where(eq(apiKeys.id, id)),
    revokeMadeKeys(db, id, now),
  ]);
  return rows[0];
}

/** Deletes a policy and ends its keys. The maker's row stays revoked until they are pruned. */
export async function deleteTrustPolicy(db: Database, id: string, now: number): Promise<void> {
  await db.batch([
    revokeMadeKeys(db, id, now),
    db.update(apiKeys).set({ revokedAt: now }).where(eq(apiKeys.id, id)),
    db.delete(trustPolicies).where(eq(trustPolicies.id, id)),
  ]);
}

export interface TrustedKey {
  key: ApiKeyRow;
  policy: Pick<TrustPolicyRow, 'id' | 'updatedAt' | 'projectId'>;
  /** Mark of the identity token, which is exchanged only once. */
  used: typeof usedSignIns.$inferInsert;
  ids: { repositoryId: string | null; ownerId: string | null };
  keysMax: number;
}

/**
 * Inserts a key for a job and remembers its identity token, as a whole. A policy without ids gets those of the job.
 * @returns whether the key was inserted, and whether the rules that were checked still apply. Without a key, the token is not used up.
 * @throws a violation of `usedColumn` (sign-in-store) if the token was exchanged before
 */
export async function insertTrustedKey(
  db: Database,
  { key, policy, used, ids, keysMax }: TrustedKey,
): Promise<{ isInserted: boolean; isCurrent: boolean }> {
  const applies = sql`exists (select 1 from trust_policies where id = ${policy.id} and updated_at = ${policy.updatedAt}
    and repository_id is ${ids.repositoryId} and owner_id is ${ids.ownerId}
    and exists (select 1 from projects where projects.id = trust_policies.project_id))`;
  const isThere = sql`exists (select 1 from api_keys where id = ${key.id})`;
  const [, , , , , [found]] = await db.batch([
    db.insert(usedSignIns).values(used),
    db.run(sql`update trust_policies set repository_id = coalesce(repository_id, ${ids.repositoryId}),
      owner_id = coalesce(owner_id, ${ids.ownerId}) where id = ${policy.id} and updated_at = ${policy.updatedAt}`),
    db.insert(apiKeys).values(key),
    db.run(sql`insert into api_key_projects (key_id, project_id, level)
      select ${key.id}, id, null from projects where id = ${policy.projectId}`),
    db.run(
      sql`delete from api_keys where id = ${key.id} and (not ${applies} or ${liveKeysOf(key)} > ${keysMax})`,
    ),
    db.all<{ isInserted: number; isCurrent: number }>(
      sql`select ${isThere} as isInserted, ${applies} as isCurrent`,
    ),
    db.run(sql`delete from used_sign_ins where id = ${used.id} and not ${isThere}`),
    db.run(sql`update api_keys set last_used_at = ${key.createdAt} where id = ${policy.id} and ${isThere}`),
  ]);
  return { isInserted: found?.isInserted === 1, isCurrent: found?.isCurrent === 1 };
}

/** Removes the policies of projects that can't be restored any more, and makers of which no key is left. */
export const deleteLostTrustPolicies = (db: Database) =>
  [
    db.run(sql`delete from trust_policies where not exists (select 1 from projects where id = trust_policies.project_id)
      and not exists (select 1 from deletions where resource_id = trust_policies.project_id)`),
    db
      .delete(apiKeys)
      .where(
        and(
          eq(apiKeys.kind, 'trust-policy'),
          sql`not exists (select 1 from trust_policies where trust_policies.id = api_keys.id)`,
          sql`not exists (select 1 from api_keys made where made.made_by = api_keys.id)`,
        ),
      ),
  ] as const;
