/**
 * Signing in at an identity provider, which leads away from here and back to a page below `/sign-in/callback`. What must agree when the browser is back is
 * in the storage of this tab: the server's proof, the state, and where the person wanted to go.
 */
import { createClient } from '../../client/client.ts';
import { signIn } from './session.ts';

const storageKey = 'longshore-sign-in';
/** None is needed to sign in. */
const anonymous = () => createClient({ url: location.origin, token: '' });

interface Started {
  proof: string;
  state: string;
  to: string;
}

/** The ways in which members can sign in: providers and passkeys. */
export const signInWays = () => anonymous().call('GET /api/sign-in');

export type SignInWays = Awaited<ReturnType<typeof signInWays>>;
export type SignInProvider = SignInWays['providers'][number];

/** Leads to the provider; behind Cloudflare Access the person is signed in at once. @returns whether it was that */
export async function signInAt(provider: SignInProvider, to: string): Promise<boolean> {
  const body = { providerId: provider.id };
  if (provider.kind === 'cloudflare-access') {
    await signIn((await anonymous().call('POST /api/sign-in/access', { body })).code);
    return true;
  }
  const { location: page, state, proof } = await anonymous().call('POST /api/sign-in/oidc', { body });
  sessionStorage.setItem(storageKey, JSON.stringify({ proof, state, to } satisfies Started));
  if (/^https?:/.test(page)) location.assign(page);
  return false;
}

/**
 * Finishes what this tab has started.
 * @param callback the path to which the provider sent the browser back: which provider it was
 * @param response the query with which it did
 * @returns where the person wanted to go; undefined if this tab has not started it
 * @throws LongshoreError with the server's sentence
 */
export async function finishSignIn(callback: string, response: string): Promise<string | undefined> {
  const started = taken();
  if (started?.state !== new URLSearchParams(response).get('state')) return undefined;
  const { proof, to } = started;
  const body = { proof, callback, response };
  await signIn((await anonymous().call('POST /api/sign-in/oidc/finish', { body })).code);
  return to;
}

/** It is used once. */
function taken(): Started | undefined {
  const text = sessionStorage.getItem(storageKey);
  sessionStorage.removeItem(storageKey);
  try {
    return JSON.parse(text ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
