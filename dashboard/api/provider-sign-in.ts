/**
 * Signs in at an identity provider, or adds an account there to the signed-in member. The browser leaves this page and returns to a page below
 * `/sign-in/callback`. The values to compare after the return are in the storage of this tab: the server's proof, the state, and the page that the
 * user wanted.
 */
import { createClient } from '../../client/client.ts';
import { api } from './client.ts';
import { signIn } from './session.ts';

const storageKey = 'longshore-sign-in';
/** Signing in needs no session. */
const anonymous = () => createClient({ url: location.origin, token: '' });

interface Started {
  proof: string;
  state: string;
  to: string;
  /** True: add the account to the member. */
  adds?: boolean;
}

/** The ways in which members can sign in: providers and passkeys. */
export const signInWays = (signal: AbortSignal) => anonymous().call('GET /api/sign-in', { signal });

export type SignInWays = Awaited<ReturnType<typeof signInWays>>;
export type SignInProvider = SignInWays['providers'][number];

/** Goes to the provider. With Cloudflare Access, signs in at once. @returns whether it was Cloudflare Access */
export async function signInAt(provider: SignInProvider, to: string): Promise<boolean> {
  const body = { providerId: provider.id };
  if (provider.kind === 'cloudflare-access') {
    await signIn((await anonymous().call('POST /api/sign-in/access', { body })).code);
    return true;
  }
  leave(await anonymous().call('POST /api/sign-in/oidc', { body }), { to });
  return false;
}

/** Goes to the provider. With Cloudflare Access, adds the account at once. @returns whether it was Cloudflare Access */
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

/**
 * The sign-in that this tab has started and the provider now answers; works once.
 * @param response the query of the URL to which the browser returned
 */
export function startedHere(response: string): Started | undefined {
  const started = taken();
  return started?.state === new URLSearchParams(response).get('state') ? started : undefined;
}

/**
 * Finishes the sign-in.
 * @param callback the path to which the browser returned; it identifies the provider
 * @param response the query of that URL
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

/** Reads and removes the started sign-in. */
function taken(): Started | undefined {
  const text = sessionStorage.getItem(storageKey);
  sessionStorage.removeItem(storageKey);
  try {
    return JSON.parse(text ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
