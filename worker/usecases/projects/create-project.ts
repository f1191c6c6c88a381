import { freeSlug, slugOf } from '../../domain/values/slug.ts';
import { insertProject, listSlugsLike, type ProjectRow } from '../../store/projects/project-store.ts';
import { refuseOverQuota } from '../../store/projects/tenant-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { retryNameClash } from '../retry-name-clash.ts';
import { withinQuota } from '../within-quota.ts';

/** Creates an empty project with its own slug and data key. @throws ApiError `quota_exceeded` */
export async function createProject(
  { db, envelope, newId, now }: Dependencies,
  tenantId: string,
  { name, description }: { name: string; description: string },
): Promise<ProjectRow> {
  const id = newId('project');
  const wrappedDataKey = await envelope.newDataKey(id);
  const base = slugOf(name, 'project');
  return retryNameClash(async () => {
    const slug = freeSlug(base, await listSlugsLike(db, tenantId, base));
    const createdAt = now();
    const project = {
      id,
      tenantId,
      name,
      slug,
      description,
      wrappedDataKey,
      dataKeyRenewedAt: null,
      createdAt,
      updatedAt: createdAt,
    };
    await withinQuota({ db }, tenantId, { projects: 1 }, () =>
      db.batch([insertProject(db, project), refuseOverQuota(db, tenantId, ['projects'])]),
    );
    return project;
  });
}
