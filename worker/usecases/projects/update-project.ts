import { ApiError } from '../../domain/errors.ts';
import { updateProject as updateRow } from '../../store/project-store.ts';
import { selectProjectServiceViews } from '../../store/service-view-store.ts';
import type { Dependencies } from '../dependencies.ts';
import type { ProjectView } from './read-projects.ts';

/** Renames or describes a project anew. @throws ApiError `not_found` when it was deleted meanwhile. */
export async function updateProject(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  projectId: string,
  changes: { name?: string | undefined; description?: string | undefined },
): Promise<ProjectView> {
  const [[project], services] = await db.batch([
    updateRow(db, projectId, changes, now()),
    selectProjectServiceViews(db, projectId),
  ]);
  if (!project) throw new ApiError('not_found', 'This project was deleted meanwhile.');
  return { project, services };
}
