/** Projects with their services, from the rows of the round trip that read the key. */
import type { Database } from '../../store/database.ts';
import { type ProjectRow, selectProject } from '../../store/project-store.ts';
import type { Statements } from '../../store/read-together.ts';
import {
  selectScopedHosts,
  selectScopedHostsOf,
  selectScopedProjects,
  selectScopedServices,
  selectScopedServicesOf,
} from '../../store/scoped-list-store.ts';
import { type ServiceView, selectProjectServiceViews } from '../../store/service-view-store.ts';
import type { Dependencies } from '../dependencies.ts';

export interface ProjectView {
  project: ProjectRow;
  services: ServiceView[];
}

/** Services without the facts of their hosts, and the hosts. */
export interface ServicesAndHosts {
  services: Omit<ServiceView, keyof HostView>[];
  hosts: (HostView & { id: string })[];
}

type HostView = Pick<ServiceView, 'facts' | 'isConnected'>;

export interface AllProjects extends ServicesAndHosts {
  projects: { project: ProjectRow }[];
}

/** Everything that a key can access. */
export function projectListStatements(db: Database, tokenId: string): Statements<AllProjects> {
  return {
    projects: selectScopedProjects(db, tokenId),
    services: selectScopedServices(db, tokenId),
    hosts: selectScopedHosts(db, tokenId),
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

export function projectViews({ projects, ...rest }: AllProjects): ProjectView[] {
  const byProject = Map.groupBy(serviceViews(rest), ({ service }) => service.projectId);
  return projects.map(({ project }) => ({ project, services: byProject.get(project.id) ?? [] }));
}

/** Adds its host's facts to each service; every service has a host (a foreign key). */
export function serviceViews({ services, hosts }: ServicesAndHosts): ServiceView[] {
  const hostOf = new Map(hosts.map(({ id, ...host }) => [id, host]));
  return services.flatMap(({ service, preferredDomain }) => {
    const host = hostOf.get(service.runnerId);
    return host ? [{ service, ...host, preferredDomain }] : [];
  });
}

/** A project by its id without a scope check, for what the caller just created. */
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
