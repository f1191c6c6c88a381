/** Fields of passkeys, as the specification of WebAuthn calls them (https://www.w3.org/TR/webauthn-3/). */
import type { FieldNotes } from './instance-field-notes.ts';

export const passkeyFieldNotes: FieldNotes = {
  passkey: ['The passkey.', undefined],
  passkeys: ['The passkeys, oldest first.', undefined],
  passkeysLeft: ['How many passkeys the member still has.', 1],
  rawId: ['The id again, as browsers send it.', 'AQIDBAUGBwg'],
  response: ['What the device has made.', undefined],
  clientDataJSON: ['What the browser says of its page, base64url.', 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0'],
  attestationObject: ['The new key and facts about its device, base64url.', 'o2NmbXRkbm9uZQ'],
  authenticatorData: ['What the device says of this answer, base64url.', 'SZYN5YgOjGh0NBcP'],
  signature: ['By the key of the passkey, base64url.', 'MEUCIQD'],
  userHandle: ['By which the device knows the member, base64url.', 'bWVtXzNrcTl4N20y'],
  transports: ['How the browser reaches the device.', ['internal']],
  challenge: ['What the device signs, base64url.', 'cmFuZG9t'],
  rpId: ['The host name of the instance.', 'longshore.example.com'],
  rp: ['The instance, as the device shows it.', undefined],
  timeout: ['Milliseconds in which the device has to answer.', 300_000],
  userVerification: ['The device verifies the person.', 'required'],
  residentKey: ['The device finds the passkey without an address.', 'required'],
  requireResidentKey: ['The same, for older browsers.', true],
  authenticatorSelection: ['What the device has to be able to do.', undefined],
  pubKeyCredParams: ['Kinds of keys that are accepted, the preferred one first.', undefined],
  alg: ['COSE algorithm: -8, -7 or -257.', -7],
  excludeCredentials: ['Passkeys that the member has already.', undefined],
  attestation: ['Certificates of the device are not asked for.', 'none'],
  displayName: ['Name of the member.', 'Ada'],
};
