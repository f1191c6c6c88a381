/** Edge's HTTP side: answers Caddy whether a name may have a certificate, and sends the 404 for names without a route. */
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { visitorPage } from '../visitor-page.ts';
import type { CertificatePermission } from './certificate-permission.ts';
import type { EdgeAnswers } from './edge-answers.ts';

/** Marks answers that come from the proxy, not from an app; a probe recognises a name without a route by it. */
export const answerHeader = 'x-longshore-answer';
export const noRoute = 'no-route';

/** @param answers read for each request, so that a reload takes effect with the next one */
export function edgeListener(answers: () => EdgeAnswers, permission: CertificatePermission): RequestListener {
  return (request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://edge');
    const domain = url?.searchParams.get('domain')?.toLowerCase() ?? '';
    const isActive = answers().tlsNames.has(domain);
    const now = performance.now();
    // Caddy forwards client requests with X-Forwarded-For; its own requests and the runner's come without it.
    const fromHost = request.headers['x-forwarded-for'] === undefined;
    if (fromHost && url?.pathname === '/ask') {
      response.writeHead(isActive && permission.allows(domain, now) ? 200 : 403).end();
    } else if (fromHost && url?.pathname === '/permit' && request.method === 'POST') {
      if (isActive) permission.permit(domain, now);
      response.writeHead(isActive ? 204 : 403).end();
    } else if (fromHost && url?.pathname === '/state-version') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`${answers().version}\n`);
    } else if (answers().sites.has(lowerCaseName(request))) {
      // Directories of sites only match lower-case names, but host names ignore case (RFC 3986, section 3.2.2).
      response.writeHead(308, { location: `//${request.headers.host?.toLowerCase()}${request.url}` }).end();
    } else {
      refuse(request, response);
    }
  };
}

function lowerCaseName({ headers: { host = '' } }: IncomingMessage): string {
  const name = host.replace(/:\d+$/, '');
  return name === name.toLowerCase() ? '' : name.toLowerCase();
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  const sentence = `Nothing is deployed under ${request.headers.host ?? 'this name'} on this host. If something should be, check the service's domains and its last deployment.`;
  const { type, body } = answerTo(request.headers, sentence);
  response
    .writeHead(404, {
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      [answerHeader]: noRoute,
    })
    .end(request.method === 'HEAD' ? undefined : body);
}

/** A page for browsers, JSON for clients that ask for it, otherwise the sentence. */
function answerTo({ accept = '', host = 'this name' }: IncomingHttpHeaders, sentence: string) {
  if (accept.includes('text/html')) {
    const name = host.replace(/[^\w.:[\]-]/g, '');
    const page = visitorPage(
      'Nothing is here',
      `No site is deployed under ${name}. Check the address.`,
      "If this is your app: check the service's domains and its last deployment.",
    );
    return { type: 'text/html; charset=utf-8', body: page };
  }
  if (accept.includes('json')) {
    return { type: 'application/json', body: JSON.stringify({ error: sentence, code: 'no_route' }) };
  }
  return { type: 'text/plain; charset=utf-8', body: `${sentence}\n` };
}
