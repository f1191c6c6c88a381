/** The browser's description of the page that used its device (https://www.w3.org/TR/webauthn-3/#dictdef-collectedclientdata). */
import { z } from 'zod';
import { PasskeyFailure, type PasskeyPlace } from '../../domain/access/passkeys.ts';
import { fromBase64Url } from '../base64url.ts';

const clientDataSchema = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
  topOrigin: z.string().optional(),
});

export interface ExpectedPage extends PasskeyPlace {
  type: 'webauthn.create' | 'webauthn.get';
}

/**
 * Returns the answered challenge if the page belongs to this instance and is not in a frame.
 * @throws PasskeyFailure
 */
export function challengeOf(encoded: string, { type, origin }: ExpectedPage): string {
  const data = parsed(encoded);
  if (!data) throw new PasskeyFailure('its client data is not valid');
  if (data.type !== type) throw new PasskeyFailure('it was made for something else');
  if (data.origin !== origin) throw new PasskeyFailure('it was made at another address');
  if (data.crossOrigin === true || data.topOrigin !== undefined)
    throw new PasskeyFailure('it was made in a frame of another page');
  return data.challenge;
}

function parsed(encoded: string): z.infer<typeof clientDataSchema> | undefined {
  try {
    return clientDataSchema.parse(JSON.parse(new TextDecoder().decode(fromBase64Url(encoded))));
  } catch {
    return undefined;
  }
}
