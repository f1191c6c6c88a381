/** Sign-in without a key: the list of ways, and each way up to the code that opens a session. */
import { z } from 'zod';
import {
  identityProviderIdSchema,
  identityProviderKinds,
  signInAttemptMinutes,
} from '../../domain/access/identity-providers.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { cookieOf, originOf, sessionCookie } from '../../http/sessions/session-cookie.ts';
import { selectIdentityProviders } from '../../store/access/identity-provider-store.ts';
import { selectPasskeyPlaces } from '../../store/access/passkey-store.ts';
import { notHere } from '../../usecases/access/attempts.ts';
import { finishSignIn, signInByAccess, startSignIn } from '../../usecases/access/sign-in-at-provider.ts';
import { accessTokenOf, finishBody, isSignedByAccess } from './provider-answer.ts';
import { assertSameOrigin, codeReply, presentCode } from './sign-in-code.ts';

const providerBody = z.strictObject({ providerId: identityProviderIdSchema.meta(notes.providerId) });

const ways = defineRoute({
  method: 'GET',
  path: '/api/sign-in',
  access: 'public',
  summary: 'List the ways in which members can sign in: identity providers and passkeys.',
  reply: z.strictObject({
    providers: z.array(
      z.strictObject({
        id: z.string().describe('Id of the provider.'),
        kind: z.enum(identityProviderKinds).meta(notes.kind),
        name: z.string().meta(notes.name),
        available: z.boolean().describe('False: Cloudflare Access has not signed this request.'),
      }),
    ),
    passkeys: z
      .enum(['here', 'elsewhere', 'none'])
      .describe(
        '`here`: some work at this host name. `elsewhere`: some work at other names of this instance only, never at an IP address.',
      ),
  }),
  async handle({ deps, request }) {
    // A sandboxed page has the origin "null".
    const rpId = URL.parse(originOf(request))?.hostname ?? '';
    const [all, [places]] = await deps.db.batch([
      selectIdentityProviders(deps.db),
      selectPasskeyPlaces(deps.db, rpId),
    ]);
    const rows = all.filter(({ enabled }) => enabled);
    const isSigned = isSignedByAccess(request);
    return {
      providers: rows.map(({ id, kind, name }) => ({
        id,
        kind,
        name,
        available: kind === 'oidc' || isSigned,
      })),
      passkeys: places?.here ? 'here' : places?.anywhere ? 'elsewhere' : 'none',
    };
  },
});

const start = defineRoute({
  method: 'POST',
  path: '/api/sign-in/oidc',
  access: 'public',
  startsSignIn: true,
  summary: `Start a sign-in at a provider, from a page of this instance: sets a cookie for ${signInAttemptMinutes} minutes. The page keeps \`state\` and \`proof\`, and goes to \`location\`. The provider sends the browser back to its \`redirectUri\`.`,
  body: providerBody,
  reply: z.strictObject({
    location: z.string().describe('The page of the provider.'),
    state: z.string().meta(notes.signInState),
    proof: z.string().meta(notes.proof),
  }),
  async handle({ deps, body, request, waitUntil }) {
    assertSameOrigin(request);
    const starting = startSignIn(deps, body.providerId, originOf(request));
    // Other requests may wait for the same metadata, so its fetch continues if this browser disconnects.
    waitUntil(starting.catch(() => undefined));
    const started = await starting;
    const { location, state, proof, sealed } = started;
    const cookie = sessionCookie(request, 'sign-in', sealed, signInAttemptMinutes * 60);
    return Response.json({ location, state, proof }, { headers: { 'Set-Cookie': cookie } });
  },
});

const finish = defineRoute({
  method: 'POST',
  path: '/api/sign-in/oidc/finish',
  access: 'public',
  summary: 'Finish a sign-in at a provider, from the page that started it, with its cookie.',
  body: finishBody,
  reply: codeReply,
  async handle({ deps, body, request }) {
    assertSameOrigin(request);
    const sealed = cookieOf(request, 'sign-in');
    if (sealed === undefined) throw notHere();
    const answer = presentCode(await finishSignIn(deps, { ...body, sealed }));
    return Response.json(answer, { headers: { 'Set-Cookie': sessionCookie(request, 'sign-in', '', 0) } });
  },
});

const access = defineRoute({
  method: 'POST',
  path: '/api/sign-in/access',
  access: 'public',
  summary: 'Sign in by the header with which Cloudflare Access signs each request.',
  body: providerBody,
  reply: codeReply,
  async handle({ deps, body, request }) {
    assertSameOrigin(request);
    const token = accessTokenOf(request, 'unauthenticated');
    return presentCode(await signInByAccess(deps, body.providerId, token));
  },
});

export const signInRoutes: AnyRoute[] = [ways, start, finish, access];
