/** A CI service on a port of this machine: an issuer (test/support/worker/servers/ci-issuer), and the address at which jobs of Actions request tokens. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CiIssuer } from '../worker/servers/ci-issuer.ts';

type Claims = Record<string, unknown>;

export interface CiService {
  issuer: CiIssuer;
  /** The environment of a job, as GitHub and Forgejo document it. @param claims of the token that it may request */
  actionsJob(claims: Claims): Record<string, string>;
  close(): void;
}

/** @param path of the issuer, such as `/api/actions` of Forgejo */
export async function startCiService(path = ''): Promise<CiService> {
  const jobs = new Map<string, Claims>();
  const answerTo = (url: URL, authorization = ''): Promise<Response> | Response => {
    if (url.pathname !== '/token') return issuer.fetch(url.href);
    const job = jobs.get(authorization);
    // The query of the address has to be kept.
    if (!job || url.searchParams.get('placeholder') !== 'true')
      return new Response('unauthorized', { status: 401 });
    return issuer
      .sign({ ...job, aud: url.searchParams.get('audience') })
      .then((value) => Response.json({ value }));
  };
  const server = createServer((request, response) => {
    const serve = async () => {
      const url = new URL(request.url ?? '', issuer.issuer);
      const answer = await answerTo(url, request.headers.authorization);
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    };
    serve().catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = await CiIssuer.start(origin + path, Date.now, 'RS256');
  return {
    issuer,
    actionsJob(claims) {
      const token = crypto.randomUUID();
      jobs.set(`bearer ${token}`, claims);
      return {
        GITHUB_ACTIONS: 'true',
        ACTIONS_ID_TOKEN_REQUEST_URL: `${origin}/token?placeholder=true`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: token,
      };
    },
    close: () => server.close(),
  };
}
