/**
 * Rows within the scope of an API key. Every statement joins the resource with its project, and the project with the key of the caller's
 * token: with its tenant, and all or the chosen projects. The result never contains rows that the key can't access. The statements get
 * only the public part of the token. The caller must verify the secret before using the result.
 */
import { and, eq, exists, getTableColumns, or, type SQL, sql } from 'drizzle-orm';
import type { KeyKind } from '../../domain/access/key-levels.ts';
import { apiKeyProjects, apiKeys } from '../schema/api-keys.ts';
import { deployments } from '../schema/deployments.ts';
import { domains } from '../schema/domains.ts';
import { jobs } from '../schema/jobs.ts';
import { projects } from '../schema/projects.ts';
import { services, variables } from '../schema/services.ts';
import { columnsAs } from './columns-as.ts';
import type { Database } from './database.ts';
import { keptStatement, type Later } from './kept-statement.ts';

/** The key or member that created a key. */
export interface KeyMaker {
  kind: KeyKind;
  name: string;
}

/** Plain SQL text: in the selection of a single table, drizzle omits the table of a column. */
export const makerOf = sql<KeyMaker | null>`(select json_object('kind', maker.kind, 'name', maker.name)
  from api_keys maker where maker.id = api_keys.made_by)`.mapWith(
  (text: string) => JSON.parse(text) as KeyMaker,
);

/** The key's row with its maker; `tokenId` belongs to its current token or to the one before the last rotation. */
export const selectKeyByTokenId = keptStatement((db, tokenId: Later) =>
  db
    .select({ ...getTableColumns(apiKeys), maker: makerOf.as('maker') })
    .from(apiKeys)
    .where(namedBy(tokenId))
    .limit(1),
);

export const selectScopedProject = keptStatement((db, tokenId: Later, projectId: Later) =>
  db
    .select({ project: columnsAs(projects, 'project') })
    .from(projects)
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(eq(projects.id, projectId))
    .limit(1),
);

/** Finds a project by slug or id. A slug never has the form of an id (domain/slug), so at most one row matches. */
export const selectScopedProjectBySlug = keptStatement((db, tokenId: Later, slugOrId: Later) =>
  db
    .select({ project: columnsAs(projects, 'project') })
    .from(projects)
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(or(eq(projects.id, slugOrId), eq(projects.slug, slugOrId)))
    .limit(1),
);

export const selectScopedService = keptStatement((db, tokenId: Later, serviceId: Later) =>
  db
    .select({ service: columnsAs(services, 'service'), project: columnsAs(projects, 'project') })
    .from(services)
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(eq(services.id, serviceId))
    .limit(1),
);

/** A deployment without its snapshot, which is large, secret and not needed. */
export const selectScopedDeployment = keptStatement((db, tokenId: Later, deploymentId: Later) => {
  const { sealedSnapshot: _, ...deployment } = columnsAs(deployments, 'deployment');
  return db
    .select({
      deployment,
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
});

/** A variable of this service; variables of other services are not found. */
export const selectScopedVariable = keptStatement((db, tokenId: Later, serviceId: Later, variableId: Later) =>
  db
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
    .limit(1),
);

/** A domain of this service; domains of other services are not found. */
export const selectScopedDomain = keptStatement((db, tokenId: Later, serviceId: Later, domainId: Later) =>
  db
    .select({
      domain: columnsAs(domains, 'domain'),
      service: columnsAs(services, 'service'),
      project: columnsAs(projects, 'project'),
    })
    .from(domains)
    .innerJoin(services, eq(services.id, domains.serviceId))
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(and(eq(domains.id, domainId), eq(services.id, serviceId)))
    .limit(1),
);

/** Subquery for the id of a service; null if the key can't access it, so that the statement finds nothing. */
export function scopedServiceId(db: Database, tokenId: string | Later, serviceId: string | Later): SQL {
  return sql`${scopedService(db, tokenId, serviceId, services.id)}`;
}

/** Subquery for the id of the service's project, with the same scope. */
export function scopedProjectIdOf(db: Database, tokenId: string | Later, serviceId: string | Later): SQL {
  return sql`${scopedService(db, tokenId, serviceId, services.projectId)}`;
}

/** Subquery for the id of a project, with the same scope. */
export function scopedProjectId(db: Database, tokenId: string, projectId: string): SQL {
  return sql`${db
    .select({ id: projects.id })
    .from(projects)
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(eq(projects.id, projectId))}`;
}

/** Subquery for the tenant of the key with this token. */
export const tenantOfToken = (tokenId: string): SQL =>
  sql`(select tenant_id from api_keys where token_id = ${tokenId} or previous_token_id = ${tokenId})`;

function scopedService(
  db: Database,
  tokenId: string | Later,
  serviceId: string | Later,
  column: typeof services.id | typeof services.projectId,
) {
  return db
    .select({ column })
    .from(services)
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(eq(services.id, serviceId));
}

/** Condition for the join with the caller's key. */
export function inScope(db: Database, tokenId: string | Later): SQL | undefined {
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

/** Condition on `api_keys`: the key with this current or previous token. */
export function namedBy(tokenId: string | Later) {
  return or(eq(apiKeys.tokenId, tokenId), eq(apiKeys.previousTokenId, tokenId));
}
