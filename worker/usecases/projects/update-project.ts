import { ApiError } from '../../domain/errors.ts';
import { updateProject as updateRow } from '../../store/projects/project-store.ts';
import { selectProjectServiceViews } from '../../store/services/service-view-store.ts';
import type { Dependencies } from '../dependencies.ts';
import type { ProjectView } from './read-projects.ts';

/** Changes the name or description of a project. @throws ApiError `not_found` if the project has been deleted since */
export async function updateProject(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  projectId: string,
  changes: { name?: string | undefined; description?: string | undefined },
): Promise<ProjectView> {
  const [[project], services] = await db.batch([
    updateRow(db, projectId, changes, now()),
    selectProjectServiceViews(db, projectId),
  ]);
  if (!project) throw new ApiError('not_found', 'This project was deleted in the meantime.');
  return { project, services };
}
