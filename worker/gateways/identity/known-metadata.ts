/** The metadata of providers, kept between requests: anybody can begin a sign-in, and each would request it from the provider. */
import { discover, type Metadata } from './discover.ts';
import { type Fetch, type Guarded, SignInFailure } from './guarded-fetch.ts';
import type { OidcClient } from './oidc-client.ts';

type Named = Guarded & { issuer: string };

export interface KnownMetadata<Client extends Named = OidcClient, Found = Metadata> {
  /** @throws SignInFailure */
  of(client: Client, fetch: Fetch): Promise<Found>;
}

export interface KnownMetadataLimits {
  /** How long metadata is kept. */
  keepMs: number;
  /** How long a failure is kept. */
  keepFailureMs: number;
  /** How long a request waits for the fetch of another one. */
  waitMs: number;
  now(): number;
}

/** Limit for providers with recent sign-ins. */
const providersMax = 50;

interface Asked<Found> {
  answer: Promise<Found>;
  /** A fetch whose client disconnected may never finish. */
  until: number;
}

/** For sign-ins. */
export const createKnownMetadata = (limits: KnownMetadataLimits): KnownMetadata =>
  createKnown(discover, limits);

/** @param find fetches the metadata */
export function createKnown<Client extends Named, Found>(
  find: (client: Client, fetch: Fetch) => Promise<Found>,
  { keepMs, keepFailureMs, waitMs, now }: KnownMetadataLimits,
): KnownMetadata<Client, Found> {
  const known = new Map<string, Asked<Found>>();
  const ask = (name: string, client: Client, fetch: Fetch): Asked<Found> => {
    if (known.size >= providersMax) known.clear();
    const asked = { answer: find(client, fetch), until: now() + waitMs };
    known.set(name, asked);
    asked.answer.then(
      () => {
        asked.until = now() + keepMs;
      },
      () => {
        asked.until = now() + keepFailureMs;
      },
    );
    return asked;
  };
  return {
    of(client, fetch) {
      const name = `${client.allowsPrivate} ${client.issuer}`;
      const found = known.get(name);
      const asked = found && now() < found.until ? found : ask(name, client, fetch);
      return within(asked.answer, waitMs, client);
    },
  };
}

/** Limits the wait for another request's promise, which never settles if that request was ended. */
async function within<Value>(answer: Promise<Value>, waitMs: number, { issuer }: Named): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const words = `${new URL(issuer).host} did not answer in time.`;
  const timer = setTimeout(() => reject(new SignInFailure('unreachable', words)), waitMs);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
