/** API keys and the projects that they can access. */
import { and, asc, eq, isNull, lt, or, sql } from 'drizzle-orm';
import { columnsAs } from './columns-as.ts';
import type { Database } from './database.ts';
import { apiKeyProjects, apiKeys } from './schema/api-keys.ts';
import { projects } from './schema/projects.ts';
import { tenants } from './schema/tenants.ts';

export type ApiKeyRow = typeof apiKeys.$inferSelect;

/** A key that is not revoked, with the ids of its chosen projects. */
export function selectKeyWithProjects(db: Database, keyId: string) {
  return keysWithProjects(db)
    .where(and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt)))
    .limit(1);
}

/** All keys that are not revoked, in order of creation. */
export function selectKeysWithProjects(db: Database) {
  return keysWithProjects(db)
    .where(isNull(apiKeys.revokedAt))
    .orderBy(asc(apiKeys.createdAt), asc(sql`api_keys.rowid`));
}

/** Those of the given projects that belong to the tenant. */
export function selectProjectIds(db: Database, tenantId: string, projectIds: readonly string[]) {
  return db
    .select({ id: projects.id })
    .from(projects)
    .where(
      and(
        eq(projects.tenantId, tenantId),
        sql`${projects.id} in (select value from json_each(${JSON.stringify(projectIds)}))`,
      ),
    );
}

export function selectTenant(db: Database, tenantId: string) {
  return db.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, tenantId));
}

/** Inserts a key and its projects in one batch; `projectIds` is empty for a key for all projects. */
export async function insertKey(db: Database, key: ApiKeyRow, projectIds: readonly string[]): Promise<void> {
  await db.batch([
    db.insert(apiKeys).values(key),
    db.run(sql`insert into ${apiKeyProjects} (key_id, project_id)
      select ${key.id}, value from json_each(${JSON.stringify(projectIds)})`),
  ]);
}

export function updateKey(db: Database, keyId: string, changes: Partial<Omit<ApiKeyRow, 'id' | 'tenantId'>>) {
  return db.update(apiKeys).set(changes).where(eq(apiKeys.id, keyId));
}

/** Stores the last use of a key, unless a use after `notAfter` is already stored. `usedAt` is truncated to the minute. */
export function noteKeyUse(db: Database, keyId: string, usedAt: number, notAfter: number) {
  return db
    .update(apiKeys)
    .set({ lastUsedAt: usedAt })
    .where(and(eq(apiKeys.id, keyId), or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, notAfter))));
}

function keysWithProjects(db: Database) {
  // Plain SQL text: in the selection of a single table, drizzle omits the table of a column.
  const projectIds = sql<string>`(
    select json_group_array(project_id) from api_key_projects where api_key_projects.key_id = api_keys.id
  )`;
  return db
    .select({
      key: columnsAs(apiKeys, 'key'),
      projectIds: projectIds.mapWith((text: string) => JSON.parse(text) as string[]).as('project_ids'),
    })
    .from(apiKeys);
}
