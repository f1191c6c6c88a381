import { and, eq, exists, gte, lt, or, type SQL, sql } from 'drizzle-orm';
import { apiKeyProjects } from '../schema/api-keys.ts';
import { projects } from '../schema/projects.ts';
import type { Database } from '../sql/database.ts';

export type ProjectRow = typeof projects.$inferSelect;

/** The scope of a verified key. */
export interface KeyScope {
  keyId: string;
  tenantId: string;
  allProjects: boolean;
}

export function selectProject(db: Database, projectId: string) {
  return db.select().from(projects).where(eq(projects.id, projectId));
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

export function insertProject(db: Database, project: ProjectRow) {
  return db.insert(projects).values(project);
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

/** Condition on `projects`: within the scope. */
export function visible(db: Database, { keyId, tenantId, allProjects }: KeyScope): SQL | undefined {
  if (allProjects) return eq(projects.tenantId, tenantId);
  const chosen = db
    .select({ one: sql`1` })
    .from(apiKeyProjects)
    .where(and(eq(apiKeyProjects.keyId, keyId), eq(apiKeyProjects.projectId, projects.id)));
  return and(eq(projects.tenantId, tenantId), exists(chosen));
}
