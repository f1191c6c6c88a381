/** Members of a tenant, for the operator, who invites the first owner. */
import { createSignal, For } from 'solid-js';
import { membersText } from '../../text/members-text.ts';
import { Show } from '../../ui/show.ts';
import { MemberList } from '../account/members/member-list.tsx';
import { membersOfTenant } from '../account/members/member-source.ts';
import { useTenants } from './instance-queries.ts';

export function TenantMembers() {
  const tenants = useTenants();
  const [tenantId, setTenantId] = createSignal('default');
  return (
    <MemberList source={membersOfTenant(tenantId())} projects={[]} mayInvite>
      <Show when={(tenants.data?.length ?? 0) > 1}>
        <select
          aria-label={membersText.tenant}
          value={tenantId()}
          onChange={(event) => setTenantId(event.currentTarget.value)}
        >
          <For each={tenants.data}>{(one) => <option value={one.id}>{one.name}</option>}</For>
        </select>
      </Show>
    </MemberList>
  );
}
