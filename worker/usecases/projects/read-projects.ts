/** Projects with their services, from rows that were read together with the key. */

import { type ProjectRow, selectProject } from '../../store/projects/project-store.ts';
import {
  projectOrder,
  selectScopedHosts,
  selectScopedHostsOf,
  selectScopedProjects,
  selectScopedServices,
  selectScopedServicesOf,
} from '../../store/services/scoped-list-store.ts';
import {
  type ListedService,
  type ServiceView,
  selectProjectServiceViews,
} from '../../store/services/service-view-store.ts';
import type { Database } from '../../store/sql/database.ts';
import { firstPosition, type Page } from '../../store/sql/keyset.ts';
import type { Statements } from '../../store/sql/read-together.ts';
import type { Dependencies } from '../dependencies.ts';

export interface ProjectView {
  project: ProjectRow;
  services: ListedView[];
}

/** A service in the form for lists. */
export type ListedView = Omit<ServiceView, 'service'> & { service: ListedService };

/** Services without the facts of their hosts, and the hosts. */
export interface ServicesAndHosts {
  services: Omit<ListedView, keyof HostView>[];
  hosts: (HostView & { id: string })[];
}

type HostView = Pick<ServiceView, 'facts' | 'isConnected'>;

export interface ProjectPageRows extends ServicesAndHosts {
  projects: { project: ProjectRow }[];
}

/** Maximum number of services of a page, unless its first project alone has more. */
const servicesMax = 2_000;

/** A page of the projects and services that a key can access. */
export function projectListStatements(
  db: Database,
  tokenId: string,
  page: Page,
): Statements<ProjectPageRows> {
  const { at, id } = page.cursor ?? firstPosition(projectOrder, 'oldest');
  const values = [tokenId, String(at), id, String(page.limit + 1)] as const;
  return {
    projects: selectScopedProjects(db, ...values),
    services: selectScopedServices(db, ...values, String(servicesMax + 1)),
    hosts: selectScopedHosts(db, ...values, String(servicesMax + 1)),
  };
}

/** The services of one project that a key can access. */
export function projectServicesStatements(
  db: Database,
  tokenId: string,
  slugOrId: string,
): Statements<ServicesAndHosts> {
  return {
    services: selectScopedServicesOf(db, tokenId, slugOrId),
    hosts: selectScopedHostsOf(db, tokenId, slugOrId),
  };
}

/**
 * The projects of a page whose services were all read. A project is never shown with some of its services.
 * @returns at least one project, if there is any; the page ends after them
 */
export async function wholeProjects(
  { db }: Pick<Dependencies, 'db'>,
  { projects, ...rest }: ProjectPageRows,
): Promise<ProjectView[]> {
  const byProject = Map.groupBy(serviceViews(rest), ({ service }) => service.projectId);
  const views = projects.map(({ project }) => ({ project, services: byProject.get(project.id) ?? [] }));
  if (rest.services.length <= servicesMax) return views;
  const cutOff = rest.services.at(-1)?.service.projectId;
  const whole = views.findIndex(({ project }) => project.id === cutOff);
  const [first] = views;
  if (whole > 0 || !first) return views.slice(0, whole);
  return [{ project: first.project, services: await selectProjectServiceViews(db, first.project.id) }];
}

/** Adds its host's facts to each service; every service has a host (a foreign key). */
export function serviceViews({ services, hosts }: ServicesAndHosts): ListedView[] {
  const hostOf = new Map(hosts.map(({ id, ...host }) => [id, host]));
  return services.flatMap(({ service, preferredDomain }) => {
    const host = hostOf.get(service.runnerId);
    return host ? [{ service, ...host, preferredDomain }] : [];
  });
}

/** A project by its id without a scope check, for a resource that the caller just created. */
export async function findProject(
  { db }: Pick<Dependencies, 'db'>,
  projectId: string,
): Promise<ProjectView | undefined> {
  const [[project], services] = await db.batch([
    selectProject(db, projectId),
    selectProjectServiceViews(db, projectId),
  ]);
  return project && { project, services };
}
