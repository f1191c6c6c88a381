/** Levels of members in single projects, which replace the level of their row there. Keys have none. */
import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { KeyLevel } from '../../domain/access/key-levels.ts';
import { apiKeyProjects, apiKeys } from '../schema/api-keys.ts';
import { deletions } from '../schema/deletions.ts';
import { keptStatement, type Later } from '../sql/kept-statement.ts';
import { namedBy } from '../sql/scoped-store.ts';

export interface ProjectLevel {
  projectId: string;
  level: KeyLevel;
}

/** The levels of the session with this token. */
export const selectProjectLevels = keptStatement((db, tokenId: Later) =>
  db
    .select({
      projectId: apiKeyProjects.projectId,
      level: sql<KeyLevel>`${apiKeyProjects.level}`.as('own_level'),
    })
    .from(apiKeyProjects)
    .innerJoin(apiKeys, eq(apiKeys.id, apiKeyProjects.keyId))
    .where(and(namedBy(tokenId), isNotNull(apiKeyProjects.level))),
);

/**
 * The caller's own level in the project of a deletion, joined with the caller's key: while a project is deleted, its levels are among the
 * deleted rows. Null if the caller has none.
 */
export const levelInDeleted = (): SQL<KeyLevel | null> => sql<KeyLevel | null>`coalesce(
  (select level from api_key_projects where key_id = ${apiKeys.id} and project_id = ${deletions.projectId}),
  (select row ->> 'level' from deleted_rows where resource_id = ${deletions.projectId} and source = 'api_key_projects'
    and row ->> 'key_id' in (${apiKeys.id}, ${apiKeys.madeBy}) and row ->> 'level' is not null limit 1))`;
