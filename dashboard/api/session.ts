/**
 * The session of this browser. Its token is in a cookie that no script can read. The server also requires a proof, which only pages of this
 * origin have (docs/design/security.md). It is kept here, in the origin's storage.
 */
import { createClient } from '../../client/client.ts';
import { storedSession } from './stored-session.ts';

const storageKey = 'longshore-session';
/** Prefix of storage names for data of the user, which is removed with the session. */
export const keptPrefix = 'longshore-kept-';

const kept = storedSession(storageKey);
const { session } = kept;

export const isSignedIn = (): boolean => session() !== undefined;
export const sessionProof = (): string => session()?.proof ?? '';

/**
 * Signs in with a key or the code of a sign-in link.
 * @throws LongshoreError with the server's sentence
 */
export async function signIn(credential: string): Promise<void> {
  const client = createClient({ url: location.origin, token: credential });
  const { session: opened, proof } = await client.call('POST /api/sessions', {
    body: { name: browserName() },
  });
  kept.keep({ id: opened.id, proof });
}

/** The person whom a key or the code of a sign-in link would sign in. The request does not use the link up. */
export async function signInTarget(credential: string) {
  const client = createClient({ url: location.origin, token: credential });
  return (await client.call('GET /api/sign-in-link')).signIn;
}

/** Removes the session from this browser; the server may have ended it already. */
export function forgetSession(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(keptPrefix)) localStorage.removeItem(key);
  kept.forget();
}

export const sessionId = (): string => session()?.id ?? '';

/** The name by which the user recognises this browser in the list of sessions. */
export function browserName(): string {
  const agent = navigator.userAgent;
  const browser = [/Edg/, /OPR/, /Firefox/, /Chrome/, /Safari/].findIndex((one) => one.test(agent));
  const system = [/Android/, /iPhone|iPad/, /Windows/, /Mac OS/, /Linux/].findIndex((one) => one.test(agent));
  const browsers = ['Edge', 'Opera', 'Firefox', 'Chrome', 'Safari'];
  const systems = ['Android', 'iOS', 'Windows', 'macOS', 'Linux'];
  return `${browsers[browser] ?? 'Browser'}${systems[system] ? ` on ${systems[system]}` : ''}`;
}
