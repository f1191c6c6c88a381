/**
 * Signing in at an identity provider, or adding an account there to the member who is signed in, which leads away from here and back to a page below `/sign-in/callback`. What must agree when the browser is back is
 * in the storage of this tab: the server's proof, the state, and where the person wanted to go.
 */
import { createClient } from '../../client/client.ts';
import { api } from './client.ts';
import { signIn } from './session.ts';

const storageKey = 'longshore-sign-in';
/** None is needed to sign in. */
const anonymous = () => createClient({ url: location.origin, token: '' });

interface Started {
  proof: string;
  state: string;
  to: string;
  /** The account is to be added to the member. */
  adds?: boolean;
}

/** The ways in which members can sign in: providers and passkeys. */
export const signInWays = (signal: AbortSignal) => anonymous().call('GET /api/sign-in', { signal });

export type SignInWays = Awaited<ReturnType<typeof signInWays>>;
export type SignInProvider = SignInWays['providers'][number];

/** Leads to the provider; behind Cloudflare Access the person is signed in at once. @returns whether it was that */
export async function signInAt(provider: SignInProvider, to: string): Promise<boolean> {
  const body = { providerId: provider.id };
  if (provider.kind === 'cloudflare-access') {
    await signIn((await anonymous().call('POST /api/sign-in/access', { body })).code);
    return true;
  }
  leave(await anonymous().call('POST /api/sign-in/oidc', { body }), { to });
  return false;
}

/** Leads to the provider; behind Cloudflare Access the account is added at once. @returns whether it was that */
export async function addAccountAt(provider: SignInProvider, to: string): Promise<boolean> {
  const body = { providerId: provider.id };
  if (provider.kind === 'cloudflare-access') {
    await api.call('POST /api/identities/access', { body });
    return true;
  }
  leave(await api.call('POST /api/identities/attempts', { body }), { to, adds: true });
  return false;
}

function leave(
  { location: page, state, proof }: { location: string; state: string; proof: string },
  more: Pick<Started, 'to' | 'adds'>,
): void {
  sessionStorage.setItem(storageKey, JSON.stringify({ proof, state, ...more } satisfies Started));
  if (/^https?:/.test(page)) location.assign(page);
}

/** What this tab has started and the provider answers, once. @param response the query with which it sent the browser back */
export function startedHere(response: string): Started | undefined {
  const started = taken();
  return started?.state === new URLSearchParams(response).get('state') ? started : undefined;
}

/**
 * Finishes it.
 * @param callback the path to which the provider sent the browser back: which provider it was
 * @param response the query with which it did
 * @throws LongshoreError with the server's sentence
 */
export async function finishAtProvider(
  { proof, adds }: Started,
  callback: string,
  response: string,
): Promise<void> {
  const body = { proof, callback, response };
  if (adds) await api.call('POST /api/identities', { body });
  else await signIn((await anonymous().call('POST /api/sign-in/oidc/finish', { body })).code);
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
