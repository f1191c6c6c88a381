/** Edge's HTTP side: Caddy's question whether a name may have a certificate, and the 404 answer for names without a route. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { CertificatePermission } from './certificate-permission.ts';
import type { EdgeAnswers } from './edge-answers.ts';

/** Marks answers that no app gave; a probe tells by it that a name has no route. */
export const answerHeader = 'x-longshore-answer';
export const noRoute = 'no-route';

/** @param answers read at each request, so that a reload counts from the next one on. */
export function edgeListener(answers: () => EdgeAnswers, permission: CertificatePermission): RequestListener {
  return (request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://edge');
    const domain = url?.searchParams.get('domain')?.toLowerCase() ?? '';
    const isActive = answers().tlsNames.has(domain);
    const now = performance.now();
    // Caddy forwards a client's request with X-Forwarded-For; its own questions and the runner's come without.
    const fromHost = request.headers['x-forwarded-for'] === undefined;
    if (fromHost && url?.pathname === '/ask') {
      response.writeHead(isActive && permission.allows(domain, now) ? 200 : 403).end();
    } else if (fromHost && url?.pathname === '/permit' && request.method === 'POST') {
      if (isActive) permission.permit(domain, now);
      response.writeHead(isActive ? 204 : 403).end();
    } else if (fromHost && url?.pathname === '/state-version') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`${answers().version}\n`);
    } else if (answers().sites.has(lowered(request))) {
      // A site's directory is found by the lower-case name alone; host names have no case (RFC 3986, section 3.2.2).
      response.writeHead(308, { location: `//${request.headers.host?.toLowerCase()}${request.url}` }).end();
    } else {
      refuse(request, response);
    }
  };
}

function lowered({ headers: { host = '' } }: IncomingMessage): string {
  const name = host.replace(/:\d+$/, '');
  return name === name.toLowerCase() ? '' : name.toLowerCase();
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  const sentence = `Nothing is deployed under ${request.headers.host ?? 'this name'} on this host. If something should be, check the service's domains and its last deployment.`;
  const json = request.headers.accept?.includes('json') ?? false;
  const body = json ? JSON.stringify({ error: sentence, code: 'no_route' }) : `${sentence}\n`;
  response
    .writeHead(404, {
      'content-type': json ? 'application/json' : 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      [answerHeader]: noRoute,
    })
    .end(request.method === 'HEAD' ? undefined : body);
}
