/** Services with the facts that the API shows about their hosts and domains. */
import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { RunnerFacts } from '../../../protocol/runner-facts.ts';
import { isConnected } from '../hosts/runner-store.ts';
import { domains } from '../schema/domains.ts';
import { projects } from '../schema/projects.ts';
import { runners } from '../schema/runners.ts';
import { services } from '../schema/services.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';

type Service = typeof services.$inferSelect;

/** Columns that only the page of one service or its host needs: lists of services don't read them, because some are long text. */
const unlisted = [
  'nextHostPort',
  'routesRevision',
  'trafficRules',
  'crashed',
  'stopped',
  'trouble',
  'diskMb',
  'suggestedKeys',
  'sourceFiles',
] as const;

/** A service in the form for lists. */
export type ListedService = Omit<Service, (typeof unlisted)[number]>;

/** The columns of {@link ListedService}, named `service_<column>`. */
export const listedService = omit(columnsAs(services, 'service'), unlisted);

function omit<All extends object, Name extends keyof All>(all: All, names: readonly Name[]): Omit<All, Name> {
  const kept = Object.entries(all).filter(([name]) => !names.includes(name as Name));
  return Object.fromEntries(kept) as Omit<All, Name>;
}

export interface ServiceView {
  service: Service;
  facts: RunnerFacts;
  /** Whether its host is connected. If not, the reported state may be outdated. */
  isConnected: boolean;
  /** Host name of the first active custom domain. */
  preferredDomain: string | null;
}

/** The host name of a service's first active custom domain; for statements on `services`. */
export const preferredDomain = sql<string | null>`(
  select hostname from ${domains} where ${domains.serviceId} = ${services.id} and ${domains.status} = 'active'
    and ${domains.hostname} not like '*.%'
  order by ${domains.createdAt}, ${domains.id} limit 1
)`;

export function selectServiceView(db: Database, serviceId: string | SQL) {
  return selectViews(db, eq(services.id, serviceId));
}

/** A service with its project, without a check of access. */
export function selectServiceWithProject(db: Database, serviceId: string) {
  return db
    .select({ service: columnsAs(services, 'service'), project: columnsAs(projects, 'project') })
    .from(services)
    .innerJoin(projects, eq(projects.id, services.projectId))
    .where(eq(services.id, serviceId))
    .limit(1);
}

export function selectServiceViews(db: Database, serviceIds: readonly string[]) {
  return selectViews(db, inArray(services.id, [...serviceIds]));
}

/** A page of the views of a project's services, in order of creation. */
export function selectServicePage(db: Database, projectId: string, page: Page) {
  const columns = { at: services.createdAt, key: services.id };
  const { after, limit } = keysetOf(columns, 'oldest', page);
  return selectViews(db, and(eq(services.projectId, projectId), after)).limit(limit);
}

/** The views of a project's services, in order of creation. */
export function selectProjectServiceViews(db: Database, projectId: string) {
  return selectViews(db, eq(services.projectId, projectId));
}

function selectViews(db: Database, condition: SQL | undefined) {
  return db
    .select({
      service: columnsAs(services, 'service'),
      facts: sql<RunnerFacts>`${runners.facts}`.mapWith(runners.facts).as('runner_facts'),
      isConnected: isConnected.as('is_connected'),
      preferredDomain: preferredDomain.as('preferred_domain'),
    })
    .from(services)
    .innerJoin(projects, eq(projects.id, services.projectId))
    .innerJoin(runners, eq(runners.id, services.runnerId))
    .where(condition)
    .orderBy(asc(services.createdAt), asc(sql`services.rowid`));
}
