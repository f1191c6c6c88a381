/**
 * The key of each request. The key of a login by the browser lasts an hour: the first command after that renews it, under a lock, and the others take
 * what it has stored.
 */
import { createClient, LongshoreError } from '../../client/client.ts';
import { Failure, networkFailure } from '../base/failure.ts';
import { type Context, changeContexts, readContexts } from './contexts.ts';

/** @param refused a key that the API has just refused: it is not returned again @throws Failure that says how to log in */
export type KeySource = (refused?: string) => Promise<string>;

/** A key is renewed this long before its end, so that it does not end on its way. */
const marginMs = 60_000;
const renewalLimitMs = 20_000;

/** @param context as it is stored under its name */
export function keySourceOf(env: NodeJS.ProcessEnv, context: Context & { name: string }): KeySource {
  if (context.device === undefined) return async () => context.key;
  let current: Context = context;
  return async (refused) => {
    const isUsable = ({ key, device }: Context) =>
      key !== refused && (device === undefined || device.keyUntil - marginMs > Date.now());
    if (isUsable(current)) return current.key;
    const stored = (await readContexts(env)).contexts[context.name];
    if (stored && isUsable(stored)) {
      current = stored;
      return stored.key;
    }
    await changeContexts(env, async (contexts) => {
      const latest = contexts.contexts[context.name];
      if (latest === undefined) throw endedLogin(context, 'it was removed on this machine');
      current = isUsable(latest) ? latest : await renewed(latest, context.name);
      return { ...contexts, contexts: { ...contexts.contexts, [context.name]: current } };
    });
    return current.key;
  };
}

async function renewed(context: Context, name: string): Promise<Context> {
  const { url, key, device } = context;
  if (device === undefined) return context;
  const client = createClient({
    ...{ url, token: key },
    fetch: (input, init) =>
      fetch(input, { ...init, signal: AbortSignal.timeout(renewalLimitMs) }).catch((error: unknown) => {
        throw networkFailure(error, url);
      }),
  });
  try {
    const exchanged = await client.call('POST /api/sign-in/device/exchange', {
      body: { deviceToken: device.token },
    });
    if (exchanged.state === 'signed-in') return contextOf(url, exchanged);
  } catch (error) {
    if (!(error instanceof LongshoreError) || error.status !== 401) throw error;
    throw endedLogin({ url, name }, error.message);
  }
  throw endedLogin({ url, name }, 'the instance does not know it');
}

/** What an exchange returns, as it is stored. The time counts from now, because the clocks of the two machines may differ. */
export const contextOf = (
  url: string,
  exchanged: { sessionId: string; token: string; deviceToken: string; expiresInSeconds: number },
): Context => ({
  ...{ url, key: exchanged.token },
  device: {
    ...{ sessionId: exchanged.sessionId, token: exchanged.deviceToken },
    keyUntil: Date.now() + exchanged.expiresInSeconds * 1_000,
  },
});

const endedLogin = ({ url, name }: { url: string; name: string }, reason: string) =>
  new Failure(
    `The login at ${url} has ended (${reason.replace(/\.$/, '')}). Log in again: longshore login ${url}${name === 'default' ? '' : ` --context ${name}`}`,
    { code: 'unauthenticated' },
  );
