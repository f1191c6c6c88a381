/** A signed-in member who adds accounts at providers, and the app for the member's browser. */
import type { Json } from './api.ts';
import { insertMember } from './members.ts';
import { aPerson, aTenant, callbackOf, startProviders } from './sign-in.ts';

interface Started {
  location: string;
  state: string;
  proof: string;
  cookie: string;
}
type Person = ReturnType<typeof aPerson>;

/** The headers of a browser with this session, and the cookie of an attempt. */
const browser = (token: string, cookie: string) => {
  const [, session, proof = ''] = token.split(' ');
  return { cookie: `__Host-longshore-session=${session}; ${cookie}`, 'x-longshore-session': proof };
};

export async function startLinks() {
  const providers = await startProviders();
  const { call, server, connect } = providers;

  const startLink = async (token: string, providerId: string, headers: Record<string, string> = {}) => {
    const reply = await call('POST', '/api/identities/attempts', { token, body: { providerId }, headers });
    const cookie = (reply.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    return { reply, ...(reply.body as Started), cookie };
  };
  const finishLink = (
    token: string,
    {
      cookie,
      proof,
      location,
      callback = callbackOf(location),
    }: Omit<Started, 'state'> & { callback?: string },
    response: string,
    headers: Record<string, string> = {},
  ) =>
    call('POST', '/api/identities', {
      body: { proof, response, callback },
      headers: { ...browser(token, cookie), ...headers },
    });
  /** Runs all steps. */
  const link = async (token: string, providerId: string, person: Person) => {
    const started = await startLink(token, providerId);
    return finishLink(token, started, server.authorize(started.location, person));
  };
  const list = async (token: string): Promise<Json> => (await call('GET', '/api/identities', { token })).body;
  const remove = (token: string, id: string) => call('DELETE', `/api/identities/${id}`, { token });

  /** A member whose address no account has, and a provider of the tenant. */
  const prepared = async (fields: Json = {}) => {
    const tenantId = await aTenant();
    const member = await insertMember({ tenantId, role: 'deployer' });
    return { tenantId, member, provider: await connect({ tenantId, ...fields }), person: aPerson() };
  };
  return { ...providers, startLink, finishLink, link, list, remove, prepared };
}
