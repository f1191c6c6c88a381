/** The members of the user's tenant, for its owners. */
import { useKey, useProjects } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { useTitle } from '../title.ts';
import { MemberList } from './member-list.tsx';
import { ownMembers } from './source.ts';

export function Members() {
  useTitle(() => t.members.title);
  const [projects, key] = [useProjects(), useKey()];
  return (
    <MemberList
      source={ownMembers}
      projects={projects.data ?? []}
      ownId={key.data?.member?.id}
      mayInvite={key.data?.may.includes('manage-members') === true}
    />
  );
}
