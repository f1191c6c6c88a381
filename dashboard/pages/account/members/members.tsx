/** The members of the user's tenant, for its owners. */
import { useKey, useProjects } from '../../../api/queries.ts';
import { useTitle } from '../../../shell/title.ts';
import { membersText } from '../../../text/members-text.ts';
import { Empty } from '../../../ui/empty.tsx';
import { Show } from '../../../ui/show.ts';
import { MemberList } from './member-list.tsx';
import { ownMembers } from './member-source.ts';

export function Members() {
  useTitle(() => membersText.title);
  const [projects, key] = [useProjects(), useKey()];
  const isOwner = () => key.data?.may.includes('manage-members') === true;
  return (
    <Show
      when={key.data === undefined || isOwner()}
      fallback={
        <Empty title={membersText.onlyOwners} help={membersText.onlyOwnersHelp}>
          <a class="button" href="/operator/members">
            {membersText.asOperator}
          </a>
        </Empty>
      }
    >
      <MemberList
        source={ownMembers}
        projects={projects.data ?? []}
        ownId={key.data?.member?.id}
        mayInvite={isOwner()}
      />
    </Show>
  );
}
