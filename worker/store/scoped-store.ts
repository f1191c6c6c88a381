/**
 * Rows within the scope of an API key. Every statement joins from the resource to its project, and from there to the key that the
 * caller's token names: its tenant, and all projects or the chosen ones. What the key can't see is not in the answer.
 * The statements only name the key by the public part of its token; the caller must prove the secret before it uses what they find.
 */
import { and, eq, exists, or, sql } from 'drizzle-orm';
import { columnsAs } from './columns-as.ts';
import type { Database } from './database.ts';
import { apiKeyProjects, apiKeys } from './schema/api-keys.ts';
import { deployments } from './schema/deployments.ts';
import { jobs } from './schema/jobs.ts';
import { projects } from './schema/projects.ts';
import { services } from './schema/services.ts';
import { variables } from './schema/variables.ts';

/** The row of the key, whether `tokenId` is its token's or the one before the last rotation. */
export function selectKeyByTokenId(db: Database, tokenId: string) {
  return db.select().from(apiKeys).where(namedBy(tokenId)).limit(1);
}

export function selectScopedProject(db: Database, tokenId: string, projectId: string) {
  return db
    .select({ project: columnsAs(projects, 'project') })
    .from(projects)
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(eq(projects.id, projectId))
    .limit(1);
}

/** By slug or id; a slug never looks like an id (domain/slug), so at most one row fits. */
export function selectScopedProjectBySlug(db: Database, tokenId: string, slugOrId: string) {
  return db
    .select({ project: columnsAs(projects, 'project') })
    .from(projects)
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(or(eq(projects.id, slugOrId), eq(projects.slug, slugOrId)))
    .limit(1);
}

export function selectScopedService(db: Database, tokenId: string, serviceId: string) {
  return db
    .select({ service: columnsAs(services, 'service'), project: columnsAs(projects, 'project') })
    .from(services)
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(eq(services.id, serviceId))
    .limit(1);
}

export function selectScopedDeployment(db: Database, tokenId: string, deploymentId: string) {
  return db
    .select({
      deployment: columnsAs(deployments, 'deployment'),
      job: columnsAs(jobs, 'job'),
      service: columnsAs(services, 'service'),
      project: columnsAs(projects, 'project'),
    })
    .from(deployments)
    .innerJoin(jobs, eq(jobs.id, deployments.jobId))
    .innerJoin(services, eq(services.id, deployments.serviceId))
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(eq(deployments.id, deploymentId))
    .limit(1);
}

/** A variable of this very service: one of another service is not found. */
export function selectScopedVariable(db: Database, tokenId: string, serviceId: string, variableId: string) {
  return db
    .select({
      variable: columnsAs(variables, 'variable'),
      service: columnsAs(services, 'service'),
      project: columnsAs(projects, 'project'),
    })
    .from(variables)
    .innerJoin(services, eq(services.id, variables.serviceId))
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(and(eq(variables.id, variableId), eq(services.id, serviceId)))
    .limit(1);
}

function inScope(db: Database, tokenId: string) {
  const chosen = db
    .select({ one: sql`1` })
    .from(apiKeyProjects)
    .where(and(eq(apiKeyProjects.keyId, apiKeys.id), eq(apiKeyProjects.projectId, projects.id)));
  return and(
    namedBy(tokenId),
    eq(apiKeys.tenantId, projects.tenantId),
    or(eq(apiKeys.allProjects, true), exists(chosen)),
  );
}

function namedBy(tokenId: string) {
  return or(eq(apiKeys.tokenId, tokenId), eq(apiKeys.previousTokenId, tokenId));
}
