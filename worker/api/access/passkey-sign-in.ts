/** Sign-in by a passkey, from a page of this instance. */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { assertionSchema, passkeyChallengeMinutes, passkeyPlaceOf } from '../../domain/access/passkeys.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { clientAddress } from '../../http/client-address.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { originOf } from '../../http/sessions/session-cookie.ts';
import {
  type PasskeyUse,
  passkeySignInOptions,
  signInByPasskey,
} from '../../usecases/access/sign-in-by-passkey.ts';
import { recordAuditEntry } from '../../usecases/record-audit-entry.ts';
import { assertSameOrigin, codeReply, presentCode } from './sign-in-code.ts';

const start = defineRoute({
  method: 'POST',
  path: '/api/sign-in/passkey',
  access: 'public',
  summary: `Start a sign-in by a passkey: options for navigator.credentials.get(), which the device has to answer within ${passkeyChallengeMinutes} minutes.`,
  reply: z.strictObject({
    publicKey: z
      .strictObject({
        challenge: z.string().meta(notes.challenge),
        rpId: z.string().meta(note('The host name of the instance.', 'longshore.example.com')),
        timeout: z.number().meta(notes.timeout),
        userVerification: z.literal('required').meta(notes.userVerification),
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
          ...{ tenantId, actor: memberId, actedBy: { type: 'member', id: memberId, name: null } },
          ...{ route: `POST ${finish.path}`, resourceId: passkeyId, status },
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
      // The device has signed, so its answer is evidence about the passkey, such as a counter that decreased.
      if (use) note(401, use);
      throw error;
    }
  },
});

export const passkeySignInRoutes: AnyRoute[] = [start, finish];
