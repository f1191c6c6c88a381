/**
 * Sign-in of a command line by a member's browser: the device authorization grant (RFC 8628). The device has one secret at a time, its
 * device token. Until a member allows the sign-in it waits with it; afterwards each use of it returns a short-lived token and the next device token.
 * A device token that is used again after the next one was used ends the session, because there is a copy of it
 * (https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2).
 */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';

/** The time in which a member can enter the code. */
export const deviceCodeMinutes = 10;
/** The time between two questions of a waiting device. */
export const deviceIntervalSeconds = 5;
/** Devices that wait at the same time: for one address, and for the whole instance, because strangers cause these rows. */
export const waitingDevicesMax = { ofAddress: 20, ofAll: 2_000 };
/** Validity of the token with which a device sends requests. */
export const deviceTokenMinutes = 60;
/** A session of a device ends when it was not used this long. */
export const deviceSessionIdleDays = 14;
/** A session of a device ends this long after the sign-in, however often it is used. */
export const deviceSessionDays = 90;
/** Letters without vowels, so that no code is a word: https://www.rfc-editor.org/rfc/rfc8628#section-6.1 */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const codeLength = 8;
const codePattern = new RegExp(`^[${letters}]{${codeLength}}$`);
/** Bytes at or above this are discarded, so that every letter is equally likely. */
const unbiasedBelow = 256 - (256 % letters.length);

/** A new code for a person to compare and to type, such as `WDJB-MJHT`: 20^8 values. */
export function newUserCode(fillRandom: (bytes: Uint8Array<ArrayBuffer>) => void): string {
  const bytes = new Uint8Array(codeLength * 2);
  let code = '';
  while (code.length < codeLength) {
    fillRandom(bytes);
    for (const byte of bytes)
      if (byte < unbiasedBelow && code.length < codeLength) code += letters[byte % letters.length];
  }
  return code;
}

/** The code as it is shown. */
export const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** A code as a person types it: small letters, blanks and dashes do not matter. */
export const userCodeSchema = z
  .string()
  .max(40, 'is too long for a code')
  .transform((text) => text.toUpperCase().replace(/[\s-]/g, ''))
  .refine(
    (code) => codePattern.test(code),
    `must be the code that the command line shows: ${codeLength} letters, such as WDJB-MJHT`,
  )
  .meta(note('The code that the command line shows.', 'WDJB-MJHT'));
