/** API keys and the projects they see. */
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import { columnsAs } from './columns-as.ts';
import type { Database } from './database.ts';
import { apiKeyProjects, apiKeys } from './schema/api-keys.ts';

export type NewApiKey = typeof apiKeys.$inferInsert;

/** A key that was not revoked, with the ids of its chosen projects. */
export function selectKeyWithProjects(db: Database, keyId: string) {
  return keysWithProjects(db)
    .where(and(eq(apiKeys.id, keyId), isNull(apiKeys.revokedAt)))
    .limit(1);
}

/** Notes the use of a key, unless one of the last ten minutes is noted. `usedAt` is already cut to the minute. */
export function noteKeyUse(db: Database, keyId: string, usedAt: number, notAfter: number) {
  return db
    .update(apiKeys)
    .set({ lastUsedAt: usedAt })
    .where(and(eq(apiKeys.id, keyId), or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, notAfter))));
}

function keysWithProjects(db: Database) {
  const projectIds = sql<string>`(
    select json_group_array(${apiKeyProjects.projectId}) from ${apiKeyProjects}
    where ${apiKeyProjects.keyId} = ${apiKeys.id}
  )`;
  return db
    .select({
      key: columnsAs(apiKeys, 'key'),
      projectIds: projectIds.mapWith((text: string) => JSON.parse(text) as string[]).as('project_ids'),
    })
    .from(apiKeys);
}
