/** Sessions of the operator's browsers: sign in by the operator token or a link, list. They end as other sessions do (sessions). */
import { z } from 'zod';
import { operatorSessionHours, signInLinkMinutes } from '../../domain/access/key-levels.ts';
import { ApiError } from '../../domain/errors.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { nameSchema } from '../../domain/values/name.ts';
import { type AnyRoute, defineRoute, type Principal } from '../../http/route.ts';
import { isSameOrigin, sessionCookie } from '../../http/sessions/session-cookie.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import type { ApiKeyRow } from '../../store/access/api-key-store.ts';
import { selectOperatorSessions } from '../../store/access/operator-session-store.ts';
import { makeOperatorLink, openOperatorSession } from '../../usecases/access/operator-sessions.ts';

const sessionSchema = z.strictObject({
  id: z.string().describe('Id of the session.'),
  name: z.string().meta(notes.name),
  isCurrent: z.boolean().describe('Whether this request came from it.'),
  createdAt: timestampSchema.meta(notes.createdAt),
  expiresAt: timestampSchema.meta(notes.expiresAt),
  lastUsedAt: timestampSchema.nullable().meta(notes.lastUsedAt),
});
const openedReply = z.strictObject({
  session: sessionSchema,
  proof: z.string().describe('For the header X-Longshore-Operator of each later request.'),
});

const open = defineRoute({
  method: 'POST',
  path: '/api/system/sessions',
  access: 'operator',
  takesLinks: true,
  onlyLastingKeys: true,
  summary: `Sign in a browser as the operator, with the operator token or the code of a sign-in link: sets a cookie for ${operatorSessionHours} hours, which only routes of the operator accept. Each later request needs the cookie and \`proof\` in the header X-Longshore-Operator. The session also ends with the operator token.`,
  body: z
    .strictObject({ name: nameSchema.optional().describe('As which the operator recognises the browser.') })
    .default({}),
  reply: openedReply,
  async handle({ deps, body, principal, request, nameInAudit }) {
    if (!isSameOrigin(request))
      throw new ApiError('forbidden', 'Only pages of this instance can sign in: open its own address.');
    const linkId = rowOf(principal)?.id ?? null;
    const { session, token, proof } = await openOperatorSession(deps, linkId, body.name ?? 'Browser');
    nameInAudit(session.id);
    const answer: z.infer<typeof openedReply> = { session: present(session, session.id), proof };
    const cookie = sessionCookie(request, 'operator', token, operatorSessionHours * 3_600);
    return Response.json(answer, { headers: { 'Set-Cookie': cookie } });
  },
});

const list = defineRoute({
  method: 'GET',
  path: '/api/system/sessions',
  access: 'operator',
  summary: 'List the open sessions of the operator, oldest first.',
  reply: z.strictObject({ sessions: z.array(sessionSchema) }),
  async handle({ deps, principal }) {
    const found = await selectOperatorSessions(deps.db, deps.now());
    return { sessions: found.map((session) => present(session, rowOf(principal)?.id)) };
  },
});

const link = defineRoute({
  method: 'POST',
  path: '/api/system/sign-in-links',
  access: 'operator',
  onlyLastingKeys: true,
  summary: `Create a sign-in link for the operator: open \`path\` at this instance's address within ${signInLinkMinutes} minutes. It signs in one browser, once. What follows \`#\` is never sent to a server.`,
  creates: {},
  reply: z.strictObject({
    link: z.strictObject({
      path: z.string().describe('Open it below the address of the instance.'),
      expiresAt: timestampSchema.meta(notes.expiresAt),
    }),
  }),
  async handle({ deps }) {
    const { code, expiresAt } = await makeOperatorLink(deps);
    return { link: { path: `/operator#${code}`, expiresAt: timestamp(expiresAt) } };
  },
});

export const operatorSessionRoutes: AnyRoute[] = [open, list, link];

const rowOf = (principal: Principal) => (principal.kind === 'operator' ? principal.row : undefined);

/** @param currentId id of the caller's session */
const present = (session: ApiKeyRow, currentId: string | undefined): z.infer<typeof sessionSchema> => ({
  id: session.id,
  name: session.name,
  isCurrent: session.id === currentId,
  createdAt: timestamp(session.createdAt),
  expiresAt: timestamp(session.expiresAt ?? session.createdAt),
  lastUsedAt: timestampOrNull(session.lastUsedAt),
});
