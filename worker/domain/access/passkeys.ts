/** Passkeys of members: what browsers send (https://www.w3.org/TR/webauthn-3/), and the host names for which they are created. */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { ApiError } from '../errors.ts';
import { notes } from '../values/field-notes.ts';

/** Passkeys of one member: several devices, some password managers and a spare one. */
export const passkeysMax = 20;
/** The time that a device has to answer a challenge. */
export const passkeyChallengeMinutes = 5;

/** COSE algorithms of the keys that are accepted, the preferred one first: EdDSA, ES256, RS256. All browsers know one of them. */
export const passkeyAlgorithms = [-8, -7, -257] as const;

const base64Url = (max: number) =>
  z
    .string()
    .max(max, `is too long: at most ${max} characters`)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url without padding');

/** 1,023 bytes at most (section 4, "credential ID"). */
const credentialIdSchema = base64Url(1_364);
const clientDataSchema = base64Url(4_096);
const common = {
  id: credentialIdSchema.describe('Id of the passkey, base64url.'),
  rawId: credentialIdSchema.meta(note('The id again, as browsers send it.', 'AQIDBAUGBwg')),
  type: z.literal('public-key').describe('Always `public-key`.'),
};

const transportsMax = 10;

/** `RegistrationResponseJSON`. Browsers add fields that are not needed here. */
export const newCredentialSchema = z
  .object({
    ...common,
    response: z
      .object({
        clientDataJSON: clientDataSchema.meta(notes.clientDataJSON),
        attestationObject: base64Url(8_192).meta(
          note('The new key and facts about its device, base64url.', 'o2NmbXRkbm9uZQ'),
        ),
        transports: z
          .array(z.string().regex(/^[a-z-]{1,20}$/, 'must be the name of a transport such as "internal"'))
          .max(transportsMax, `has more than ${transportsMax} transports`)
          .default([])
          .meta(notes.transports),
      })
      .meta(notes.response),
  })
  .describe('What navigator.credentials.create() gave, by its toJSON().');
export type NewCredential = z.infer<typeof newCredentialSchema>;

/** `AuthenticationResponseJSON`. */
export const assertionSchema = z
  .object({
    ...common,
    response: z
      .object({
        clientDataJSON: clientDataSchema.meta(notes.clientDataJSON),
        authenticatorData: base64Url(4_096).meta(
          note('What the device says of this answer, base64url.', 'SZYN5YgOjGh0NBcP'),
        ),
        signature: base64Url(2_048).meta(note('By the key of the passkey, base64url.', 'MEUCIQD')),
        userHandle: base64Url(200).meta(
          note('By which the device knows the member, base64url.', 'bWVtXzNrcTl4N20y'),
        ),
      })
      .meta(notes.response),
  })
  .describe('What navigator.credentials.get() gave, by its toJSON().');
export type Assertion = z.infer<typeof assertionSchema>;

/** The page at which a browser uses a passkey. */
export interface PasskeyPlace {
  /** Scheme, host and port. */
  origin: string;
  /** The host name under which browsers store passkeys. */
  rpId: string;
}

/** @throws ApiError `unsupported` where no browser has passkeys: at an IP address, and without https unless the host is localhost */
export function passkeyPlaceOf(origin: string): PasskeyPlace {
  const { hostname, port, protocol } = new URL(origin);
  if (isAddress(hostname)) {
    const local = `http://localhost${port === '' ? '' : `:${port}`}`;
    throw new ApiError(
      'unsupported',
      `Browsers have no passkeys at an IP address such as ${hostname}: open this instance by its name; on this machine at ${local}.`,
    );
  }
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  if (protocol === 'https:' || isLocal) return { origin, rpId: hostname };
  throw new ApiError(
    'unsupported',
    `Browsers have passkeys only at https addresses and at localhost: open this instance at https://${hostname}.`,
  );
}

/** For host names of URLs, in which numbers of any form are already normal addresses. */
const isAddress = (hostname: string) => hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);

/** The answer of a passkey is refused. The message is a clause with the reason. */
export class PasskeyFailure extends Error {
  override readonly name = 'PasskeyFailure';
}

/**
 * Runs a check of a passkey's answer.
 * @param code of the refusal
 * @throws ApiError with this code
 */
export async function orRefusedPasskey<Result>(
  code: 'invalid_request' | 'unauthenticated',
  check: () => Promise<Result>,
): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof PasskeyFailure)) throw error;
    const text = `The answer of the passkey in the field "credential" is not accepted, because ${error.message}.`;
    throw new ApiError(code, text, { cause: error });
  }
}
