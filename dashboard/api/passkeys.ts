/** Passkeys of this device, through the browser's own JSON methods (https://www.w3.org/TR/webauthn-3/). */
import { createClient, type ReplyOf, type Routes } from '../../client/client.ts';
import { passkeysText } from '../text/passkeys-text.ts';
import { api, ToldError } from './client.ts';
import { browserName, signIn } from './session.ts';

export type Passkey = ReplyOf<'GET /api/passkeys'>['passkeys'][number];
export type OtherWays = ReplyOf<'GET /api/passkeys'>['otherWays'];

/** The URL of this page with the name of this machine, if it was opened by IP address: browsers have no passkeys at IP addresses. */
export function localAddress(): string | undefined {
  const { hostname, port, pathname } = location;
  if (hostname !== '127.0.0.1' && hostname !== '[::1]') return undefined;
  return `http://localhost${port === '' ? '' : `:${port}`}${pathname}`;
}

/** Whether this browser has passkeys at this URL: it needs a host name, and https or this machine. */
export const hasPasskeys = (): boolean =>
  isSecureContext &&
  !isAddress(location.hostname) &&
  'parseCreationOptionsFromJSON' in (globalThis.PublicKeyCredential ?? {});

const isAddress = (hostname: string) => hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);

/** Lets the device create a passkey, and adds it. @throws ToldError, LongshoreError */
export async function addPasskey(): Promise<void> {
  const { publicKey } = await api.call('POST /api/passkeys/options');
  const options = PublicKeyCredential.parseCreationOptionsFromJSON(publicKey);
  const credential = await answered<NewCredential>(() =>
    navigator.credentials.create({ publicKey: options }),
  );
  await api.call('POST /api/passkeys', { body: { name: browserName(), credential } });
}

/** Lets the device sign, and opens a session. @throws ToldError, LongshoreError */
export async function signInByPasskey(): Promise<void> {
  const publicKey = await requestOptions();
  await signInBy(await answered<Assertion>(() => navigator.credentials.get({ publicKey })));
}

/** Options for a device, with a new challenge. */
export const requestOptions = async (): Promise<PublicKeyCredentialRequestOptions> =>
  PublicKeyCredential.parseRequestOptionsFromJSON(
    (await anonymous().call('POST /api/sign-in/passkey')).publicKey,
  );

/** Opens a session with what a device has signed. @throws LongshoreError */
export async function signInBy(credential: Assertion): Promise<void> {
  await signIn((await anonymous().call('POST /api/sign-in/passkey/finish', { body: { credential } })).code);
}

/** Removes the passkey on the server, and tells the device not to offer it any more. */
export async function removePasskey({ id: passkeyId, rpId, credentialId }: Passkey): Promise<void> {
  await api.call('DELETE /api/passkeys/:passkeyId', { params: { passkeyId } });
  if (rpId !== location.hostname || !('signalUnknownCredential' in PublicKeyCredential)) return;
  // Some devices can't forget a passkey. They still offer it, and the server refuses it.
  await PublicKeyCredential.signalUnknownCredential({ rpId, credentialId }).catch(() => undefined);
}

/** Signing in needs no session. */
const anonymous = () => createClient({ url: location.origin, token: '' });

type NewCredential = Routes['POST /api/passkeys']['body']['credential'];
export type Assertion = Routes['POST /api/sign-in/passkey/finish']['body']['credential'];

/** @param ask shows the dialog of the browser */
async function answered<Answer>(ask: () => Promise<Credential | null>): Promise<Answer> {
  try {
    const credential = await ask();
    if (credential instanceof PublicKeyCredential) return credential.toJSON() as Answer;
  } catch (error) {
    const name = error instanceof DOMException ? error.name : '';
    if (name === 'InvalidStateError') throw new ToldError(passkeysText.known);
    if (name !== 'NotAllowedError' && name !== 'AbortError') throw error;
  }
  throw new ToldError(passkeysText.noneChosen);
}
