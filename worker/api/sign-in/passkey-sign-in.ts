/** Sign-in by a passkey, from a page of this instance. */
import { z } from 'zod';
import { assertionSchema, passkeyChallengeMinutes, passkeyPlaceOf } from '../../domain/access/passkeys.ts';
import { clientAddress } from '../../http/client-address.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { originOf } from '../../http/sessions/session-cookie.ts';
import { recordAuditEntry } from '../../usecases/record-audit-entry.ts';
import {
  type PasskeyUse,
  passkeySignInOptions,
  signInByPasskey,
} from '../../usecases/sign-in/sign-in-by-passkey.ts';
import { assertSameOrigin, codeReply, presentCode } from './sign-in-code.ts';

const start = defineRoute({
  method: 'POST',
  path: '/api/sign-in/passkey',
  access: 'public',
  summary: `Start a sign-in by a passkey: options for navigator.credentials.get(), which the device has to answer within ${passkeyChallengeMinutes} minutes.`,
  reply: z.strictObject({
    publicKey: z
      .strictObject({
        challenge: z.string(),
        rpId: z.string(),
        timeout: z.number(),
        userVerification: z.literal('required'),
      })
      .describe('For PublicKeyCredential.parseRequestOptionsFromJSON().'),
  }),
  async handle({ deps, request }) {
    assertSameOrigin(request);
    return { publicKey: await passkeySignInOptions(deps, passkeyPlaceOf(originOf(request))) };
  },
});

const finish = defineRoute({
  method: 'POST',
  path: '/api/sign-in/passkey/finish',
  access: 'public',
  summary: 'Sign in by what a passkey has signed. Each answer works once.',
  body: z.strictObject({ credential: assertionSchema }),
  reply: codeReply,
  async handle({ deps, body, request, requestId, waitUntil }) {
    assertSameOrigin(request);
    const note = (status: number, { passkeyId, memberId, tenantId }: PasskeyUse) =>
      waitUntil(
        recordAuditEntry(deps, {
          ...{ tenantId, actor: memberId, route: `POST ${finish.path}`, resourceId: passkeyId, status },
          ...{ requestId, address: clientAddress(request.headers) },
        }),
      );
    let use: PasskeyUse | undefined;
    try {
      const place = passkeyPlaceOf(originOf(request));
      const code = await signInByPasskey(deps, place, body.credential, (one) => {
        use = one;
      });
      if (use) note(200, use);
      return presentCode(code);
    } catch (error) {
      // Its device has signed, so it says something about the passkey: such as that its counter went back.
      if (use) note(401, use);
      throw error;
    }
  },
});

export const passkeySignInRoutes: AnyRoute[] = [start, finish];
