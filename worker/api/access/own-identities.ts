/** Accounts at identity providers of the member whose session calls. Keys can't use these routes. */

import { z } from 'zod';
import {
  identityProviderIdSchema,
  identityProviderKinds,
  signInAttemptMinutes,
} from '../../domain/access/identity-providers.ts';
import { absent } from '../../domain/errors.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { identityResource } from '../../http/loaders/tenant-loaders.ts';
import { type AnyRoute, defineRoute, keyOf, type Principal } from '../../http/route.ts';
import { cookieOf, originOf, sessionCookie } from '../../http/sessions/session-cookie.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import {
  type IdentityView,
  removeIdentity,
  selectIdentitiesOfCaller,
  selectIdentity,
  selectProvidersOfCaller,
} from '../../store/access/identity-store.ts';
import { type MemberRow, selectMemberByToken } from '../../store/access/member-store.ts';
import {
  selectOtherWays,
  selectOtherWaysOfCaller,
  selectPasskeysOf,
  selectPasskeysOfCaller,
} from '../../store/access/passkey-store.ts';
import type { Database } from '../../store/sql/database.ts';
import {
  finishLinking,
  type Linker,
  linkByAccess,
  startLinking,
} from '../../usecases/access/link-identity.ts';
import { accessTokenOf, finishBody, isSignedByAccess } from './provider-answer.ts';
import { assertSameOrigin } from './sign-in-code.ts';

const path = '/api/identities';
const providerBody = z.strictObject({ providerId: identityProviderIdSchema.meta(notes.providerId) });

const identitySchema = z.strictObject({
  id: idOf('identity'),
  providerId: z.string().meta(notes.providerId),
  kind: z.enum(identityProviderKinds).meta(notes.kind),
  name: z.string().describe('Of the provider.'),
  isUsable: z
    .boolean()
    .describe('False: the operator has disabled the provider, or has given it another issuer.'),
  createdAt: timestampSchema.meta(notes.createdAt),
  lastUsedAt: timestampSchema.meta(notes.lastUsedAt),
});
const identityReply = z.strictObject({ identity: identitySchema });
const otherWaysSchema = z
  .strictObject({
    passkeys: z.int().describe('How many passkeys the member has.'),
    providers: z.array(z.string()).describe('Names of the providers where the member signs in.'),
    hasOtherOwner: z
      .boolean()
      .describe('Whether another owner can make a sign-in link. Otherwise only the operator can.'),
  })
  .describe('How the member can sign in.');

type Ways = { passkeys: unknown[]; providers: { name: string }[]; owners: unknown[] };
const presentWays = ({ passkeys, providers, owners }: Ways): z.infer<typeof otherWaysSchema> => ({
  passkeys: passkeys.length,
  providers: providers.map(({ name }) => name),
  hasOtherOwner: owners.length > 0,
});

const list = defineRoute({
  method: 'GET',
  path,
  access: 'member',
  summary: 'List your accounts at identity providers by which you sign in, and where you can add one.',
  reads: (db, { tokenId }) => ({
    identities: selectIdentitiesOfCaller(db, tokenId),
    offered: selectProvidersOfCaller(db, tokenId),
    passkeys: selectPasskeysOfCaller(db, tokenId),
    ...selectOtherWaysOfCaller(db, tokenId),
  }),
  reply: z.strictObject({
    identities: z
      .array(identitySchema)
      .describe('The accounts, in the order in which their providers were connected.'),
    providers: z
      .array(
        z.strictObject({
          id: z.string().describe('Id of the provider.'),
          kind: z.enum(identityProviderKinds).meta(notes.kind),
          name: z.string().meta(notes.name),
          available: z.boolean().describe('False: Cloudflare Access has not signed this request.'),
        }),
      )
      .describe('Providers where you can add an account.'),
    ways: otherWaysSchema,
  }),
  async handle({ read: { identities, offered, ...ways }, request }) {
    const taken = new Set(
      identities.filter(({ isUsable }) => isUsable).map(({ identity }) => identity.providerId),
    );
    return {
      identities: identities.map(present),
      providers: offered
        .filter(({ id }) => !taken.has(id))
        .map((one) => ({ ...one, available: one.kind === 'oidc' || isSignedByAccess(request) })),
      ways: presentWays(ways),
    };
  },
});

const start = defineRoute({
  method: 'POST',
  path: `${path}/attempts`,
  access: 'member',
  summary: `Start to add an account at a provider, from a page of this instance: sets a cookie for ${signInAttemptMinutes} minutes. The page keeps \`state\` and \`proof\`, and goes to \`location\`. The provider sends the browser back to its \`redirectUri\`.`,
  body: providerBody,
  reads: (db, { tokenId }) => ({ members: selectMemberByToken(db, tokenId) }),
  reply: z.strictObject({
    location: z.string().describe('The page of the provider.'),
    state: z.string().meta(notes.signInState),
    proof: z.string().meta(notes.proof),
  }),
  async handle({ deps, body, principal, read, request }) {
    assertSameOrigin(request);
    const linker = linkerOf(principal, read.members);
    const { sealed, ...started } = await startLinking(deps, linker, body.providerId, originOf(request));
    const cookie = sessionCookie(request, 'sign-in', sealed, signInAttemptMinutes * 60);
    return Response.json(started, { headers: { 'Set-Cookie': cookie } });
  },
});

const creates = {
  kind: 'identity',
  async find({ deps }: { deps: { db: Database } }, id: string) {
    const [row] = await selectIdentity(deps.db, id);
    return row && { identity: present(row) };
  },
} as const;

const add = defineRoute({
  method: 'POST',
  path,
  access: 'member',
  summary: 'Add the account that signed in at the provider, from the page and the session that started it.',
  body: finishBody,
  reads: (db, { tokenId }) => ({ members: selectMemberByToken(db, tokenId) }),
  creates,
  reply: identityReply,
  async handle({ deps, body, principal, read, request }) {
    assertSameOrigin(request);
    const linker = linkerOf(principal, read.members);
    const sealed = cookieOf(request, 'sign-in') ?? '';
    const { id } = await finishLinking(deps, linker, { ...body, sealed });
    const reply = await creates.find({ deps }, id);
    if (!reply) throw absent('identity');
    return Response.json(reply, { headers: { 'Set-Cookie': sessionCookie(request, 'sign-in', '', 0) } });
  },
});

const addByAccess = defineRoute({
  method: 'POST',
  path: `${path}/access`,
  access: 'member',
  summary: 'Add the account that Cloudflare Access has signed in, by the header of this request.',
  body: providerBody,
  reads: (db, { tokenId }) => ({ members: selectMemberByToken(db, tokenId) }),
  creates,
  reply: identityReply,
  async handle({ deps, body, principal, read, request }) {
    assertSameOrigin(request);
    const linker = linkerOf(principal, read.members);
    const token = accessTokenOf(request, 'conflict');
    const { id } = await linkByAccess(deps, linker, body.providerId, token);
    const reply = await creates.find({ deps }, id);
    if (!reply) throw absent('identity');
    return reply;
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: `${path}/:identityId`,
  access: 'member',
  summary: 'Remove an account of yours at a provider. Nobody signs in with it any more; open sessions stay.',
  resource: identityResource,
  reply: z.strictObject({ ways: otherWaysSchema }),
  async handle({ deps, resource: { identity } }) {
    await removeIdentity(deps.db, identity.id, deps.now());
    const memberId = identity.memberId ?? '';
    const { providers, owners } = selectOtherWays(deps.db, memberId);
    const rows = await deps.db.batch([selectPasskeysOf(deps.db, memberId), providers, owners]);
    return { ways: presentWays({ passkeys: rows[0], providers: rows[1], owners: rows[2] }) };
  },
});

export const ownIdentityRoutes: AnyRoute[] = [list, start, add, addByAccess, remove];

function linkerOf(principal: Principal, [row]: { member: MemberRow }[]): Linker {
  if (!row) throw absent('member');
  const { id: memberId, tenantId } = row.member;
  return { memberId, tenantId, sessionId: keyOf(principal).keyId };
}

const present = ({ identity, name, kind, isUsable }: IdentityView): z.infer<typeof identitySchema> => ({
  ...{ id: identity.id, providerId: identity.providerId, kind, name, isUsable },
  createdAt: timestamp(identity.createdAt),
  lastUsedAt: timestamp(identity.lastUsedAt),
});
