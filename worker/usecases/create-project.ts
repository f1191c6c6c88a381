import { freeSlug, slugOf } from '../domain/slug.ts';
import { insertProject, listSlugsLike, type ProjectRow } from '../store/project-store.ts';
import type { Dependencies } from './dependencies.ts';
import { untilUnique } from './until-unique.ts';

/** Creates an empty project with a slug and a data key of its own. */
export async function createProject(
  { db, envelope, newId, now }: Dependencies,
  tenantId: string,
  { name, description }: { name: string; description: string },
): Promise<ProjectRow> {
  const id = newId('project');
  const wrappedDataKey = await envelope.newDataKey(id);
  const base = slugOf(name, 'project');
  return untilUnique(async () => {
    const slug = freeSlug(base, await listSlugsLike(db, tenantId, base));
    const createdAt = now();
    const project = {
      id,
      tenantId,
      name,
      slug,
      description,
      wrappedDataKey,
      createdAt,
      updatedAt: createdAt,
    };
    await insertProject(db, project);
    return project;
  });
}
