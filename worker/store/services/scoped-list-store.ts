/**
 * Everything that an API key can access, scoped by the caller's token as in scoped-store. The facts of a host are read once per host, not
 * per service, which halves D1's time for 2,000 services.
 */
import { and, asc, eq, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { isConnected } from '../hosts/runner-store.ts';
import { apiKeys } from '../schema/api-keys.ts';
import { projects } from '../schema/projects.ts';
import { runners } from '../schema/runners.ts';
import { services } from '../schema/services.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keptStatement, type Later } from '../sql/kept-statement.ts';
import { keysetParts } from '../sql/keyset.ts';
import { inScope, namedBy } from '../sql/scoped-store.ts';
import { listedService, preferredDomain } from './service-view-store.ts';

export const projectOrder = { at: projects.createdAt, key: projects.id };

/** A page of projects, in order of creation. Like the statements below, this one is built before its values are known. */
export const selectScopedProjects = keptStatement(
  (db, tokenId: Later, at: Later, id: Later, limit: Later) => {
    const { where, orderBy } = scopedPage(db, tokenId, { at, id });
    return db
      .select({ project: columnsAs(projects, 'project') })
      .from(projects)
      .where(where)
      .orderBy(...orderBy)
      .limit(limit);
  },
);

/** The services of these projects, in order of creation in each. @param servicesMax most rows */
export const selectScopedServices = keptStatement(
  (db, tokenId: Later, at: Later, id: Later, limit: Later, servicesMax: Later) => {
    const page = pageOfProjects(db, tokenId, { at, id, limit });
    return db
      .select({
        service: listedService,
        preferredDomain: preferredDomain.as('preferred_domain'),
      })
      .from(page)
      .crossJoin(services)
      .where(eq(services.projectId, page.id))
      .orderBy(...inOrderOf(page))
      .limit(servicesMax);
  },
);

/** The hosts of these services. */
export const selectScopedHosts = keptStatement(
  (db, tokenId: Later, at: Later, id: Later, limit: Later, servicesMax: Later) => {
    const page = pageOfProjects(db, tokenId, { at, id, limit });
    const used = db
      .select({ id: services.runnerId })
      .from(page)
      .crossJoin(services)
      .where(eq(services.projectId, page.id))
      .orderBy(...inOrderOf(page))
      .limit(servicesMax);
    return hostsIn(db, used);
  },
);

/** The services of the project with this slug or id. */
export const selectScopedServicesOf = keptStatement((db, tokenId: Later, slugOrId: Later) =>
  scopedServices(db, tokenId, isProject(slugOrId)),
);

/** The hosts of the services of the project with this slug or id. */
export const selectScopedHostsOf = keptStatement((db, tokenId: Later, slugOrId: Later) =>
  scopedHosts(db, tokenId, isProject(slugOrId)),
);

function scopedServices(db: Database, tokenId: Later, condition: SQL | undefined) {
  return db
    .select({
      service: listedService,
      preferredDomain: preferredDomain.as('preferred_domain'),
    })
    .from(services)
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(condition)
    .orderBy(asc(services.createdAt), asc(sql`services.rowid`));
}

function scopedHosts(db: Database, tokenId: Later, condition: SQL | undefined) {
  const used = db
    .select({ id: services.runnerId })
    .from(services)
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(apiKeys, inScope(db, tokenId))
    .where(condition);
  return hostsIn(db, used);
}

function hostsIn(db: Database, used: SQLWrapper) {
  return db
    .select({ id: runners.id, facts: runners.facts, isConnected: isConnected.as('is_connected') })
    .from(runners)
    .where(sql`${runners.id} in ${used}`);
}

/**
 * The key's row is read separately and not joined, so that the index of its tenant's projects returns them in order, and the statement
 * reads no more projects than the page has.
 */
function scopedPage(db: Database, tokenId: Later, position: { at: Later; id: Later }) {
  const key = (column: SQLiteColumn) =>
    sql`${db.select({ column }).from(apiKeys).where(namedBy(tokenId)).limit(1)}`;
  const chosen = sql`exists (select 1 from api_key_projects where api_key_projects.project_id = projects.id
    and api_key_projects.key_id = ${key(apiKeys.id)})`;
  const { after, orderBy } = keysetParts(projectOrder, 'oldest', position);
  const where = and(
    eq(projects.tenantId, key(apiKeys.tenantId)),
    or(sql`${key(apiKeys.allProjects)}`, chosen),
    after,
  );
  return { where, orderBy };
}

function pageOfProjects(db: Database, tokenId: Later, page: { at: Later; id: Later; limit: Later }) {
  const { where, orderBy } = scopedPage(db, tokenId, page);
  return db
    .select({
      id: projects.id,
      createdAt: projects.createdAt,
      position: sql<number>`projects.rowid`.as('position'),
    })
    .from(projects)
    .where(where)
    .orderBy(...orderBy)
    .limit(page.limit)
    .as('page');
}

/** Ordered by project, so that D1 stops reading when it has enough rows. */
const inOrderOf = (page: ReturnType<typeof pageOfProjects>) => [
  asc(page.createdAt),
  asc(page.position),
  asc(services.createdAt),
  asc(sql`services.rowid`),
];

function isProject(slugOrId: Later): SQL | undefined {
  return or(eq(projects.id, slugOrId), eq(projects.slug, slugOrId));
}
