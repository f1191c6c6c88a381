import { and, asc, eq, exists, gte, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { apiKeyProjects } from './schema/api-keys.ts';
import { projects } from './schema/projects.ts';
import { selectViews } from './service-view-store.ts';

export type ProjectRow = typeof projects.$inferSelect;

/** What a proven key sees. */
export interface KeyScope {
  keyId: string;
  tenantId: string;
  allProjects: boolean;
}

/** All projects of the scope, in the order of creation. */
export function selectProjects(db: Database, scope: KeyScope) {
  return db
    .select()
    .from(projects)
    .where(visible(db, scope))
    .orderBy(asc(projects.createdAt), asc(sql`projects.rowid`));
}

/** The services of all projects of the scope. */
export function selectVisibleServiceViews(db: Database, scope: KeyScope) {
  return selectViews(db, visible(db, scope));
}

/** Slugs of the tenant that are `base` or start with `base-`. */
export async function listSlugsLike(db: Database, tenantId: string, base: string): Promise<Set<string>> {
  const alike = or(
    eq(projects.slug, base),
    and(gte(projects.slug, `${base}-`), lt(projects.slug, `${base}.`)),
  );
  const rows = await db
    .select({ slug: projects.slug })
    .from(projects)
    .where(and(eq(projects.tenantId, tenantId), alike));
  return new Set(rows.map(({ slug }) => slug));
}

export async function insertProject(db: Database, project: ProjectRow): Promise<void> {
  await db.insert(projects).values(project);
}

export function updateProject(
  db: Database,
  projectId: string,
  changes: { name?: string | undefined; description?: string | undefined },
  now: number,
) {
  return db
    .update(projects)
    .set({ ...changes, updatedAt: now })
    .where(eq(projects.id, projectId))
    .returning();
}

export function deleteProject(db: Database, projectId: string) {
  return db.delete(projects).where(eq(projects.id, projectId));
}

function visible(db: Database, { keyId, tenantId, allProjects }: KeyScope): SQL | undefined {
  if (allProjects) return eq(projects.tenantId, tenantId);
  const chosen = db
    .select({ one: sql`1` })
    .from(apiKeyProjects)
    .where(and(eq(apiKeyProjects.keyId, keyId), eq(apiKeyProjects.projectId, projects.id)));
  return and(eq(projects.tenantId, tenantId), exists(chosen));
}
