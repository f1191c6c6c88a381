import { levelOfRole, type MemberRole, type RoleInProject } from '../../domain/access/members.ts';
import { ApiError } from '../../domain/errors.ts';
import { selectProjectIds } from '../../store/access/api-key-store.ts';
import type { Levels } from '../../store/access/member-change-store.ts';
import type { Dependencies } from '../dependencies.ts';

export type WantedProjects = 'all' | readonly string[];

export interface ChosenProjects {
  allProjects: boolean;
  projectIds: string[];
  /** Levels of the roles in single projects. */
  levels: Levels;
}

/**
 * The projects of a member, and the levels of the roles in single projects.
 * @throws ApiError `invalid_request` for an owner of some projects only or with roles in projects, for a project that the tenant does not have, and
 *   for a role in a project that the member would not see
 */
export async function chosenProjects(
  { db }: Pick<Dependencies, 'db'>,
  tenantId: string,
  role: MemberRole,
  projects: WantedProjects,
  roles: readonly RoleInProject[],
): Promise<ChosenProjects> {
  if (role === 'owner' && roles.length > 0)
    throw new ApiError(
      'invalid_request',
      'The field "projectRoles" must be empty for an owner: owners may do everything in all projects.',
    );
  const isAll = projects === 'all';
  const levels = Object.fromEntries(roles.map((one) => [one.projectId, levelOfRole[one.role]]));
  if (!isAll && role === 'owner') {
    throw new ApiError(
      'invalid_request',
      'The field "projects" must be "all" for an owner: owners see all projects of the tenant.',
    );
  }
  const projectIds = isAll ? [] : [...new Set(projects)];
  const unseen = isAll ? undefined : Object.keys(levels).find((id) => !projectIds.includes(id));
  if (unseen !== undefined)
    throw new ApiError(
      'invalid_request',
      `The field "projectRoles" names "${unseen}", which is not among the "projects" of the member: add it there.`,
    );
  const named = [...projectIds, ...Object.keys(levels)];
  const [known] = named.length > 0 ? await db.batch([selectProjectIds(db, tenantId, named)]) : [[]];
  const unknown = named.find((id) => !known.some((project) => project.id === id));
  if (unknown === undefined) return { allProjects: isAll, projectIds, levels };
  throw new ApiError(
    'invalid_request',
    `The field "${projectIds.includes(unknown) ? 'projects' : 'projectRoles'}" contains "${unknown}", which is not the id of a project of this tenant.`,
  );
}
