/** Members of a tenant, for its owners. Keys can't use these routes: access that a key grants would outlast the key. */

import { z } from 'zod';
import { invitationDays, memberLinkHours } from '../../domain/access/members.ts';
import { ApiError } from '../../domain/errors.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { memberResource } from '../../http/loaders/tenant-loaders.ts';
import { pageOf, pageQuery, placeByCreation } from '../../http/paging.ts';
import { type AnyRoute, defineRoute, keyOf, type Principal } from '../../http/route.ts';
import { sessionCookie } from '../../http/sessions/session-cookie.ts';
import type { Manager } from '../../store/access/member-change-store.ts';
import {
  selectMember,
  selectMembersOfCaller,
  selectMemberViewByToken,
} from '../../store/access/member-store.ts';
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
  path: '/api/members',
  access: 'owner',
  summary: 'List the members of the tenant and the open invitations, oldest first.',
  query: pageQuery(500),
  reads: (db, { tokenId, query }) => ({ members: selectMembersOfCaller(db, tokenId, query) }),
  reply: membersReply,
  async handle({ deps, read: { members }, query }) {
    const { rows, next } = pageOf(members, query, ({ member }) => placeByCreation(member));
    return { members: rows.map((one) => presentMember(one, deps.now())), ...next };
  },
});

const invite = defineRoute({
  method: 'POST',
  path: '/api/members',
  access: 'owner',
  summary: `Invite somebody: send them the link. It signs in one browser within ${invitationDays} days, once, which accepts the invitation. What follows \`#\` is never sent to a server.`,
  body: invitationBody,
  creates: {
    kind: 'member',
    async find({ deps, principal }, id) {
      const [[view]] = await deps.db.batch([selectMember(deps.db, id)]);
      if (!view) return undefined;
      const link = await makeMemberLink(deps, managerOf(principal), view);
      return {
        member: presentMember({ ...view, linkUntil: link.expiresAt }, deps.now()),
        link: presentLink(link),
      };
    },
  },
  reply: invitedReply,
  async handle({ deps, principal, body }) {
    const { view, link } = await inviteMember(deps, managerOf(principal), keyOf(principal).tenantId, body);
    return { member: presentMember(view, deps.now()), link: presentLink(link) };
  },
});

const change = defineRoute({
  method: 'PATCH',
  path: '/api/members/:memberId',
  access: 'owner',
  summary:
    'Change the name, the role or the projects of a member. It applies to all sessions from their next request on.',
  resource: memberResource,
  body: memberBody,
  reply: memberReply,
  async handle({ deps, principal, resource, body }) {
    return {
      member: presentMember(await changeMember(deps, managerOf(principal), resource, body), deps.now()),
    };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/members/:memberId',
  access: 'owner',
  summary:
    'Remove a member, or take an invitation back. All sessions, links and invitations of the member end at once.',
  resource: memberResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, principal, resource }) {
    await removeMember(deps, managerOf(principal), resource);
    return { ok: true as const };
  },
});

const link = defineRoute({
  method: 'POST',
  path: '/api/members/:memberId/links',
  access: 'owner',
  summary: `Make a new link for a member: of an invitation for ${invitationDays} days, otherwise for ${memberLinkHours} hours. It signs in one browser, once. Earlier links of the member end.`,
  resource: memberResource,
  creates: {},
  reply: linkReply,
  async handle({ deps, principal, resource }) {
    return { link: presentLink(await makeMemberLink(deps, managerOf(principal), resource)) };
  },
});

const managerOf = (principal: Principal): Manager => ({ sessionId: keyOf(principal).keyId });

/** What a member does with their own membership. */
const leftReply = z.strictObject({
  ok: z.literal(true).meta(notes.ok),
  detail: z.string().describe('What remains of the member.'),
});

const remains =
  'What you have made stays, and the audit log still says that it was you. Of your address only a fingerprint is kept, so that you do not join again by signing in at a provider: an owner can invite you.';

const leave = defineRoute({
  method: 'DELETE',
  path: '/api/membership',
  access: 'read',
  summary:
    'Leave the tenant as the member of this session: all your sessions, links and the invitations that you sent end at once. The last owner can not leave.',
  reads: (db, { tokenId }) => ({ members: selectMemberViewByToken(db, tokenId) }),
  reply: leftReply,
  async handle({ deps, read: { members }, request, nameInAudit }) {
    const [own] = members;
    if (!own)
      throw new ApiError(
        'forbidden',
        'Only a member can leave, in a session of their own: a key is deleted by who has made it.',
      );
    nameInAudit(own.member.id);
    await removeMember(deps, 'member', own);
    const answer: z.infer<typeof leftReply> = { ok: true, detail: remains };
    return Response.json(answer, { headers: { 'Set-Cookie': sessionCookie(request, 'session', '', 0) } });
  },
});

export const memberRoutes: AnyRoute[] = [list, invite, change, remove, link, leave];
