/** The members of the user's tenant, for its owners. */
import { useKey, useProjects } from '../../../api/queries.ts';
import { useTitle } from '../../../shell/title.ts';
import { membersText } from '../../../text/members-text.ts';
import { MemberList } from './member-list.tsx';
import { ownMembers } from './member-source.ts';

export function Members() {
  useTitle(() => membersText.title);
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
