import {
  type KeyScope,
  type ProjectRow,
  selectProjects,
  selectVisibleServiceViews,
} from '../store/project-store.ts';
import { type ServiceView, selectProjectServiceViews } from '../store/service-view-store.ts';
import type { Dependencies } from './dependencies.ts';

export interface ProjectView {
  project: ProjectRow;
  services: ServiceView[];
}

/** All projects that a key sees, with their services; one round trip. */
export async function listProjects(
  { db }: Pick<Dependencies, 'db'>,
  scope: KeyScope,
): Promise<ProjectView[]> {
  const [projects, views] = await db.batch([selectProjects(db, scope), selectVisibleServiceViews(db, scope)]);
  const byProject = Map.groupBy(views, ({ service }) => service.projectId);
  return projects.map((project) => ({ project, services: byProject.get(project.id) ?? [] }));
}

/** The services of a project. */
export async function readProject(
  { db }: Pick<Dependencies, 'db'>,
  projectId: string,
): Promise<ServiceView[]> {
  const [views] = await db.batch([selectProjectServiceViews(db, projectId)]);
  return views;
}
