/** Passkeys of members: what browsers send (https://www.w3.org/TR/webauthn-3/), and the names of hosts for which they are made. */
import { z } from 'zod';
import { ApiError } from '../errors.ts';

/** Passkeys of one member: several devices, some password managers and a spare one. */
export const passkeysMax = 20;
/** The time in which a device has to answer a challenge. */
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
  id: credentialIdSchema,
  rawId: credentialIdSchema,
  type: z.literal('public-key'),
};

const transportsMax = 10;

/** `RegistrationResponseJSON`. Browsers add fields that nobody needs here. */
export const newCredentialSchema = z
  .object({
    ...common,
    response: z.object({
      clientDataJSON: clientDataSchema,
      attestationObject: base64Url(8_192),
      transports: z
        .array(z.string().regex(/^[a-z-]{1,20}$/, 'must be the name of a transport such as "internal"'))
        .max(transportsMax, `has more than ${transportsMax} transports`)
        .default([]),
    }),
  })
  .describe('What navigator.credentials.create() gave, by its toJSON().');
export type NewCredential = z.infer<typeof newCredentialSchema>;

/** `AuthenticationResponseJSON`. */
export const assertionSchema = z
  .object({
    ...common,
    response: z.object({
      clientDataJSON: clientDataSchema,
      authenticatorData: base64Url(4_096),
      signature: base64Url(2_048),
      userHandle: base64Url(200),
    }),
  })
  .describe('What navigator.credentials.get() gave, by its toJSON().');
export type Assertion = z.infer<typeof assertionSchema>;

/** Where a browser uses a passkey. */
export interface PasskeyPlace {
  /** Scheme, host and port. */
  origin: string;
  /** The host name: browsers keep passkeys by it. */
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

/** Of URLs, in which numbers of any form are addresses by now. */
const isAddress = (hostname: string) => hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);

/** The answer of a passkey is not accepted. Its message is a clause that says why. */
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
