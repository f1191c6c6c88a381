/** A browser with a passkey, and the app for it. */
import { type CallOptions, createClient, deps, type Json } from './api.ts';
import { Authenticator, type Wrong } from './authenticator.ts';

/** The address of the app under test. */
export const here = { origin: 'https://longshore.test', rpId: 'longshore.test' };

export function startPasskeys() {
  const clock = { now: Date.now() };
  const call = createClient({ dependenciesOf: () => ({ ...deps, now: () => clock.now }) });

  const options = async (token: string, more: CallOptions = {}): Promise<Json> => {
    const { status, body } = await call('POST', '/api/passkeys/options', { token, ...more });
    if (status !== 200) throw new Error(body.error);
    return body.publicKey;
  };
  const add = (token: string, credential: Json, name = 'Laptop') =>
    call('POST', '/api/passkeys', { token, body: { name, credential } });
  /** A member's new passkey. @returns the device, and the row as the API shows it */
  const added = async (
    token: string,
    device?: Authenticator,
  ): Promise<{ device: Authenticator; passkey: Json }> => {
    const one = device ?? (await Authenticator.create());
    const { status, body } = await add(token, await one.make(await options(token), here));
    if (status !== 200) throw new Error(body.error);
    return { device: one, passkey: body.passkey };
  };

  const challenge = async (): Promise<{ challenge: string }> =>
    (await call('POST', '/api/sign-in/passkey')).body.publicKey;
  const finish = (credential: Json, headers: Record<string, string> = {}) =>
    call('POST', '/api/sign-in/passkey/finish', { body: { credential }, headers });
  /** Runs all steps. */
  const signIn = async (device: Authenticator, wrong: Wrong = {}) =>
    finish(await device.sign(await challenge(), here, wrong));
  /** @returns the key in the form for the new session, with its token */
  const keyOf = async (signedIn: { status: number; body: Json }): Promise<Json> => {
    if (signedIn.status !== 200) throw new Error(`${signedIn.status} ${signedIn.body.error}`);
    const opened = await call('POST', '/api/sessions', { token: signedIn.body.code, body: {} });
    const cookie = /=([^;]*)/.exec(opened.headers.get('set-cookie') ?? '')?.[1];
    const token = `session ${cookie} ${opened.body.proof}`;
    return { ...(await call('GET', '/api/key', { token })).body.key, token };
  };
  const list = async (token: string): Promise<Json> => (await call('GET', '/api/passkeys', { token })).body;
  const remove = (token: string, id: string) => call('DELETE', `/api/passkeys/${id}`, { token });
  return { clock, call, options, add, added, challenge, finish, signIn, keyOf, list, remove };
}
