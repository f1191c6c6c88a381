/** What a member does with their own membership. */
import { z } from 'zod';
import { ApiError } from '../../domain/errors.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { sessionCookie } from '../../http/sessions/session-cookie.ts';
import { selectMemberByToken } from '../../store/access/member-store.ts';
import { removeMember } from '../../usecases/members/change-member.ts';

const leftReply = z.strictObject({
  ok: z.literal(true),
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
  reads: (db, { tokenId }) => ({ members: selectMemberByToken(db, tokenId) }),
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

export const ownMemberRoutes: AnyRoute[] = [leave];
