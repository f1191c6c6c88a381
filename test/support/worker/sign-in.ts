/** A browser that signs in at a provider, and the app for it. */
import { beforeEach } from 'vitest';
import { createIdentityServers } from '../../../worker/gateways/identity/identity-servers.ts';
import { createKeySets } from '../../../worker/gateways/identity/key-sets.ts';
import { createKnownMetadata } from '../../../worker/gateways/identity/known-metadata.ts';
import { identityProviders } from '../../../worker/store/schema/api-keys.ts';
import {
  type CallOptions,
  createClient,
  deps,
  fromNewAddress,
  insertTenant,
  type Json,
  operatorToken,
} from './api.ts';
import { insertMember } from './members.ts';
import { IdentityServer, type Person } from './servers/identity-server.ts';

export const issuer = 'https://login.example.com/tenant';
export const team = 'https://team.cloudflareaccess.com';
export const minuteMs = 60_000;
const client = { id: 'longshore', secret: 'hunter2' };

/** The app with its reachable providers, and a clock. */
export async function startProviders() {
  const clock = { now: Date.now() };
  const now = () => clock.now;
  const server = await IdentityServer.start(issuer, client, now);
  const access = await IdentityServer.start(team, client, now, 'RS256');
  const fetch = (url: string, init?: RequestInit) =>
    (url.startsWith(team) ? access : server).fetch(url, init);
  const identityServers = createIdentityServers({
    fetch,
    keySets: createKeySets(0),
    metadata: createKnownMetadata({ keepMs: 0, keepFailureMs: 0, waitMs: 5_000, now }),
    timeLimitMs: 5_000,
    now,
  });
  const call = createClient({ dependenciesOf: () => ({ ...deps, now, identityServers }) });

  const operate = (method: string, path: string, body?: Json) =>
    call(method, `/api/system/identity-providers${path}`, { token: operatorToken, body });

  // An instance can have only a few.
  beforeEach(() => deps.db.delete(identityProviders));

  let count = 0;
  /** Connects the provider. @returns its id */
  const connect = async (fields: Json = {}): Promise<string> => {
    count += 1;
    const id = `provider-${count}`;
    const own =
      fields.kind === 'cloudflare-access'
        ? { issuer: team, clientId: 'aud-tag' }
        : { kind: 'oidc', issuer, clientId: client.id, clientSecret: client.secret };
    const { status, body } = await operate('POST', '', { id, name: 'Login', ...own, ...fields });
    if (status !== 200) throw new Error(body.error);
    return id;
  };

  const start = async (providerId: string, options: CallOptions = {}) => {
    const headers = { ...fromNewAddress(), ...options.headers };
    const reply = await call('POST', '/api/sign-in/oidc', { body: { providerId }, ...options, headers });
    const cookie = (reply.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    return { reply, cookie, ...(reply.body as { location: string; state: string; proof: string }) };
  };
  type Started = Pick<Awaited<ReturnType<typeof start>>, 'cookie' | 'proof' | 'location'> & {
    /** The path to which the browser returned, if it differs from the requested one. */
    callback?: string;
  };
  const finish = (
    { cookie, proof, location, callback = callbackOf(location) }: Started,
    response: string,
    headers: Record<string, string> = {},
  ) =>
    call('POST', '/api/sign-in/oidc/finish', {
      body: { proof, response, callback },
      headers: { cookie, ...headers },
    });
  /** Runs all steps. */
  const signIn = async (providerId: string, person: Person) => {
    const started = await start(providerId);
    return finish(started, server.authorize(started.location, person));
  };
  const open = (code: string) => call('POST', '/api/sessions', { token: code, body: { name: 'Firefox' } });
  /** @returns the key in the form for the new session */
  const keyOf = async (signedIn: { status: number; body: Json }): Promise<Json> => {
    if (signedIn.status !== 200) throw new Error(`${signedIn.status} ${signedIn.body.error}`);
    const opened = await open(signedIn.body.code);
    const cookie = /=([^;]*)/.exec(opened.headers.get('set-cookie') ?? '')?.[1];
    const token = `session ${cookie} ${opened.body.proof}`;
    return { ...(await call('GET', '/api/key', { token })).body.key, token };
  };
  return { clock, server, access, call, operate, connect, start, finish, signIn, open, keyOf };
}

/** The address to which an honest provider sends the browser: the redirect URI of the request. */
export const callbackOf = (location: string): string =>
  new URL(new URL(location).searchParams.get('redirect_uri') ?? '').pathname;

let count = 0;

/** A person with an account at the provider, and an address that the tenant may know. */
export function aPerson(fields: object = {}) {
  count += 1;
  const email = `p${count}@example.com`;
  return { sub: `sub-${count}`, email, email_verified: true, name: 'Grace', ...fields };
}

export function aTenant(): Promise<string> {
  count += 1;
  return insertTenant(`sign-in-${count}`);
}

/** Inserts a member who has not accepted the invitation yet. */
export const inviteMember = (tenantId: string, email: string, fields: object = {}) =>
  insertMember({ tenantId, email, role: 'deployer', acceptedAt: null, ...fields });
