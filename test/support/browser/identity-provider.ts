/** An OpenID provider on the loopback interface, with one signed-in person who always consents. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { IdentityServer, type Person } from '../worker/servers/identity-server.ts';

export const client = { id: 'longshore', secret: 'hunter2' };

/** @param person the signed-in person; `null`: the provider refuses */
export async function startIdentityProvider(person: () => Person | null) {
  let provider: IdentityServer | undefined;
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!provider) {
      response.destroy();
      return;
    }
    const url = provider.issuer + request.url;
    if (request.url?.startsWith('/authorize?')) {
      const asked = new URL(url).searchParams;
      const who = person();
      const refused = { error: 'access_denied', state: asked.get('state') ?? '', iss: provider.issuer };
      const query = who ? provider.authorize(url, who) : String(new URLSearchParams(refused));
      response.writeHead(302, { location: `${asked.get('redirect_uri')}?${query}` }).end();
      return;
    }
    const headers = { authorization: request.headers.authorization ?? '' };
    const answered = await provider.fetch(url, { headers, body: await text(request) });
    const type = answered.headers.get('content-type') ?? 'text/plain';
    response.writeHead(answered.status, { 'content-type': type }).end(await answered.text());
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  provider = await IdentityServer.start(issuer, client, Date.now);
  return { issuer, stop: () => server.close() };
}
