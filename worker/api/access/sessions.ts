/** Sessions: sign in a browser by a key or a link; list and end those of browsers and command lines. */

import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { keyLevels, makerLevel, sessionDays, signInLinkMinutes } from '../../domain/access/key-levels.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { nameSchema } from '../../domain/values/name.ts';
import { keyResource, sessionResource } from '../../http/loaders/operator-loaders.ts';
import { ownSessionResource } from '../../http/loaders/tenant-loaders.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { isSameOrigin, sessionCookie } from '../../http/sessions/session-cookie.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import { selectKeyByCurrentToken } from '../../store/access/api-key-store.ts';
import {
  type SessionRow,
  selectOpened,
  selectOwnSessions,
  selectSessionsOf,
  selectSignInTarget,
} from '../../store/access/session-store.ts';
import { endSession, makeSignInLink, openSession } from '../../usecases/access/sessions.ts';

const makersSchema = z
  .array(z.strictObject({ id: idOf('member'), name: z.string().meta(notes.name) }))
  .describe(
    'Other members, by whose links it was opened, the first one first. It ends when one of them is no longer an owner.',
  );
const sessionWords = ['browser', 'command-line'] as const;
const sessionSchema = z.strictObject({
  id: z.string().describe('Id of the session.'),
  name: z.string().meta(notes.name),
  kind: z.enum(sessionWords).describe('A browser, or a command line that a member signed in by a browser.'),
  access: z.enum(keyLevels).meta(notes.access),
  keyId: z.string().meta(note('The key that signed in.', 'key_8d2k5f7h1j4l6q9w')),
  linkedBy: makersSchema,
  isCurrent: z.boolean().describe('Whether this request came from it.'),
  createdAt: timestampSchema.meta(notes.createdAt),
  expiresAt: timestampSchema.meta(notes.expiresAt),
  lastUsedAt: timestampSchema.nullable().meta(notes.lastUsedAt),
});
const sessionReply = z.strictObject({
  session: sessionSchema,
  proof: z.string().describe('For the header X-Longshore-Session of each later request.'),
});
const sessionsReply = z.strictObject({
  sessions: z.array(sessionSchema),
  links: z
    .array(
      z.strictObject({
        id: z.string().describe('Id of the link.'),
        linkedBy: makersSchema,
        createdAt: timestampSchema.meta(notes.createdAt),
        expiresAt: timestampSchema.meta(notes.expiresAt),
      }),
    )
    .describe('Open links that another member has made, with which one more browser can sign in as you.'),
});
const ok = z.strictObject({ ok: z.literal(true).meta(notes.ok) });

const open = defineRoute({
  method: 'POST',
  path: '/api/sessions',
  access: 'read',
  takesLinks: true,
  onlyLastingKeys: true,
  summary: `Sign in a browser with a key or the code of a sign-in link: sets a cookie for ${sessionDays} days. The session has the rights of the key and ends with it. Each later request needs the cookie and \`proof\` in the header X-Longshore-Session.`,
  body: z
    .strictObject({ name: nameSchema.optional().describe('As which the person recognises the browser.') })
    .default({}),
  reads: (db, { tokenId }) => ({ permits: selectKeyByCurrentToken(db, tokenId) }),
  reply: sessionReply,
  async handle({ deps, body, read: { permits }, request, nameInAudit, addToAudit }) {
    if (!isSameOrigin(request))
      throw new ApiError('forbidden', 'Only pages of this instance can sign in: open its own address.');
    const { session, token, proof } = await openSession(deps, permits[0], body.name ?? 'Browser');
    nameInAudit(session.id);
    const { linkedBy } = session;
    if (linkedBy) addToAudit({ linkedBy });
    const [opened] = linkedBy ? await selectOpened(deps.db, session.id) : [];
    const seconds = Math.floor(((session.expiresAt ?? deps.now()) - deps.now()) / 1000);
    const answer: z.infer<typeof sessionReply> = {
      session: present({ session, makers: opened?.makers ?? [] }, session.id),
      proof,
    };
    return Response.json(answer, {
      headers: { 'Set-Cookie': sessionCookie(request, 'session', token, seconds) },
    });
  },
});

const target = defineRoute({
  method: 'GET',
  path: '/api/sign-in-link',
  access: 'read',
  takesLinks: true,
  summary:
    'Show whom the code of a sign-in link would sign in, without using it up: to ask the person before, who may have it from a stranger.',
  reads: (db, { tokenId }) => ({ targets: selectSignInTarget(db, tokenId) }),
  reply: z.strictObject({
    signIn: z
      .strictObject({
        name: z.string().describe('Of the member or the key.'),
        email: z.string().nullable().meta(note('Of the member; null: it signs in a key.', 'ada@example.com')),
        tenant: z.string().describe('The tenant.'),
        linkedBy: makersSchema,
      })
      .describe('Whom the link signs in, and where.'),
  }),
  async handle({ read: { targets } }) {
    const [found] = targets;
    // A key that was just rotated has another token.
    if (!found) throw absent('sign-in link');
    const { name, email, tenant, makers } = found;
    return { signIn: { name, email, tenant, linkedBy: makers } };
  },
});

const list = defineRoute({
  method: 'GET',
  path: '/api/sessions',
  access: 'read',
  summary: 'List the open sessions of this key, or of the key of this session, oldest first.',
  reply: sessionsReply,
  async handle({ deps, principal }) {
    const { keyId, tokenId } = keyOf(principal);
    const found = await selectOwnSessions(deps.db, tokenId, deps.now());
    return presentAll(found, keyId);
  },
});

const end = defineRoute({
  method: 'DELETE',
  path: '/api/sessions/:sessionId',
  access: 'read',
  summary:
    'End a session of this key, or a link to it that another member has made. It stops working at once; its streams end within a minute.',
  resource: ownSessionResource,
  reply: ok,
  async handle({ deps, principal, resource: { session }, request }) {
    await endSession(deps, session.id);
    const headers =
      keyOf(principal).keyId === session.id ? { 'Set-Cookie': sessionCookie(request, 'session', '', 0) } : {};
    return Response.json({ ok: true } satisfies z.infer<typeof ok>, { headers });
  },
});

const link = defineRoute({
  method: 'POST',
  path: '/api/sign-in-links',
  access: makerLevel,
  onlyLastingKeys: true,
  summary: `Create a sign-in link for the dashboard: open \`path\` at this instance's address within ${signInLinkMinutes} minutes. It signs in one browser, once. What follows \`#\` is never sent to a server.`,
  creates: {},
  reads: (db, { tokenId }) => ({ permits: selectKeyByCurrentToken(db, tokenId) }),
  reply: z.strictObject({
    link: z.strictObject({
      path: z.string().describe('Open it below the address of the instance.'),
      expiresAt: timestampSchema.meta(notes.expiresAt),
    }),
  }),
  async handle({ deps, read: { permits } }) {
    const { code, expiresAt } = await makeSignInLink(deps, permits[0]);
    return { link: { path: `/sign-in#${code}`, expiresAt: timestamp(expiresAt) } };
  },
});

const listAny = defineRoute({
  method: 'GET',
  path: '/api/system/keys/:keyId/sessions',
  access: 'operator',
  summary: 'List the open sessions of a key, oldest first.',
  resource: keyResource,
  reply: sessionsReply,
  async handle({ deps, resource: { key } }) {
    const found = await selectSessionsOf(deps.db, key.id, deps.now());
    return presentAll(found, '');
  },
});

const endAny = defineRoute({
  method: 'DELETE',
  path: '/api/system/sessions/:sessionId',
  access: 'operator',
  summary: 'End any session at once, of a key or of the operator.',
  resource: sessionResource,
  reply: ok,
  async handle({ deps, principal, resource: { session }, request }) {
    await endSession(deps, session.id);
    const isOwn = principal.kind === 'operator' && principal.row?.id === session.id;
    const headers = isOwn ? { 'Set-Cookie': sessionCookie(request, 'operator', '', 0) } : {};
    return Response.json({ ok: true } satisfies z.infer<typeof ok>, { headers });
  },
});

export const sessionRoutes: AnyRoute[] = [open, target, list, end, link];
export const systemSessionRoutes: AnyRoute[] = [listAny, endAny];

/** @param currentId id of the caller's session */
const presentAll = (found: SessionRow[], currentId: string): z.infer<typeof sessionsReply> => ({
  sessions: found.filter(({ session }) => session.kind !== 'link').map((one) => present(one, currentId)),
  links: found
    .filter(({ session }) => session.kind === 'link')
    .map(({ session: { id, createdAt, expiresAt }, makers }) => ({
      ...{ id, linkedBy: makers, createdAt: timestamp(createdAt) },
      expiresAt: timestamp(expiresAt ?? createdAt),
    })),
});

const present = ({ session, makers }: SessionRow, currentId: string): z.infer<typeof sessionSchema> => ({
  id: session.id,
  name: session.name,
  kind: session.kind === 'command-line' ? 'command-line' : 'browser',
  access: session.access,
  keyId: session.madeBy ?? '',
  linkedBy: makers,
  isCurrent: session.id === currentId,
  createdAt: timestamp(session.createdAt),
  expiresAt: timestamp(session.expiresAt ?? session.createdAt),
  lastUsedAt: timestampOrNull(session.lastUsedAt),
});
