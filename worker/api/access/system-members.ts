/** Members of any tenant, for the operator, who invites the first owner. */

import { z } from 'zod';
import { notes } from '../../domain/values/field-notes.ts';
import { anyMemberResource, tenantResource } from '../../http/loaders/operator-loaders.ts';
import { pageOf, pageQuery, placeByCreation } from '../../http/paging.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { selectMember, selectMembers } from '../../store/access/member-store.ts';
import { changeMember, removeMember } from '../../usecases/access/change-member.ts';
import { inviteMember, makeMemberLink } from '../../usecases/access/invite-member.ts';
import {
  invitationBody,
  invitedReply,
  linkReply,
  memberBody,
  memberReply,
  membersReply,
  presentLink,
  presentMember,
} from './member-schemas.ts';

const list = defineRoute({
  method: 'GET',
  path: '/api/system/tenants/:tenantId/members',
  access: 'operator',
  summary: 'List the members of a tenant and the open invitations, oldest first.',
  resource: tenantResource,
  query: pageQuery(500),
  reply: membersReply,
  async handle({ deps, resource: { tenant }, query }) {
    const [members] = await deps.db.batch([selectMembers(deps.db, tenant.id, query)]);
    const { rows, next } = pageOf(members, query, ({ member }) => placeByCreation(member));
    return { members: rows.map((one) => presentMember(one, deps.now())), ...next };
  },
});

const invite = defineRoute({
  method: 'POST',
  path: '/api/system/tenants/:tenantId/members',
  access: 'operator',
  summary: 'Invite a member of a tenant, such as its first owner, who then invites the others.',
  resource: tenantResource,
  body: invitationBody,
  creates: {
    kind: 'member',
    async find({ deps }, id) {
      const [[view]] = await deps.db.batch([selectMember(deps.db, id)]);
      if (!view) return undefined;
      const link = await makeMemberLink(deps, 'operator', view);
      return {
        member: presentMember({ ...view, linkUntil: link.expiresAt }, deps.now()),
        link: presentLink(link),
      };
    },
  },
  reply: invitedReply,
  async handle({ deps, resource: { tenant }, body }) {
    const { view, link } = await inviteMember(deps, 'operator', tenant.id, body);
    return { member: presentMember(view, deps.now()), link: presentLink(link) };
  },
});

const change = defineRoute({
  method: 'PATCH',
  path: '/api/system/members/:memberId',
  access: 'operator',
  summary: 'Change the name, the role or the projects of a member of any tenant, also of its last owner.',
  resource: anyMemberResource,
  body: memberBody,
  reply: memberReply,
  async handle({ deps, resource, body }) {
    return { member: presentMember(await changeMember(deps, 'operator', resource, body), deps.now()) };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/system/members/:memberId',
  access: 'operator',
  summary: 'Remove a member of any tenant at once, also its last owner.',
  resource: anyMemberResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    await removeMember(deps, 'operator', resource);
    return { ok: true as const };
  },
});

const link = defineRoute({
  method: 'POST',
  path: '/api/system/members/:memberId/links',
  access: 'operator',
  summary: 'Make a new sign-in link for a member of any tenant. Earlier links of the member end.',
  resource: anyMemberResource,
  creates: {},
  reply: linkReply,
  async handle({ deps, resource }) {
    return { link: presentLink(await makeMemberLink(deps, 'operator', resource)) };
  },
});

export const systemMemberRoutes: AnyRoute[] = [list, invite, change, remove, link];
