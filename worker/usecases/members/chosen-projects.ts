import { ApiError } from '../../domain/errors.ts';
import type { MemberRole } from '../../domain/members.ts';
import { selectProjectIds } from '../../store/api-key-store.ts';
import type { Dependencies } from '../dependencies.ts';

export type WantedProjects = 'all' | readonly string[];

/**
 * The projects of a member.
 * @throws ApiError `invalid_request` for an owner of some projects only, and for a project that the tenant does not have
 */
export async function chosenProjects(
  { db }: Pick<Dependencies, 'db'>,
  tenantId: string,
  role: MemberRole,
  projects: WantedProjects,
): Promise<{ allProjects: boolean; projectIds: string[] }> {
  if (projects === 'all') return { allProjects: true, projectIds: [] };
  if (role === 'owner') {
    throw new ApiError(
      'invalid_request',
      'The field "projects" must be "all" for an owner: owners see all projects of the tenant.',
    );
  }
  const projectIds = [...new Set(projects)];
  const [known] = await db.batch([selectProjectIds(db, tenantId, projectIds)]);
  const unknown = projectIds.find((id) => !known.some((project) => project.id === id));
  if (unknown === undefined) return { allProjects: false, projectIds };
  throw new ApiError(
    'invalid_request',
    `The field "projects" contains "${unknown}", which is not the id of a project of this tenant.`,
  );
}
