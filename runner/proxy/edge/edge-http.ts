/** Edge's HTTP side: tells Caddy whether a name may have a certificate, and answers for names without a route and stopped services. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { hostPortName } from '../route-names.ts';
import type { CertificatePermission } from './certificate-permission.ts';
import { type EdgeAnswers, servedName } from './edge-answers.ts';
import { sendOwnAnswer } from './own-answer.ts';

/** Values of the answer header (`own-answer.ts`). */
export const noRoute = 'no-route';
export const stoppedService = 'stopped';
export const asleepService = 'asleep';

/** @param answers read for each request, so that a reload takes effect with the next one */
export function edgeListener(answers: () => EdgeAnswers, permission: CertificatePermission): RequestListener {
  return (request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://edge');
    const domain = url?.searchParams.get('domain')?.toLowerCase() ?? '';
    const isActive = mayHaveCertificate(answers(), domain, permission);
    const now = performance.now();
    // Caddy forwards client requests with X-Forwarded-For; its own requests and the runner's have no such header.
    const fromHost = request.headers['x-forwarded-for'] === undefined;
    if (fromHost && url?.pathname === '/ask') {
      response.writeHead(isActive && permission.allows(domain, now) ? 200 : 403).end();
    } else if (fromHost && url?.pathname === '/permit' && request.method === 'POST') {
      if (isActive) permission.permit(domain, now);
      response.writeHead(isActive ? 204 : 403).end();
    } else if (fromHost && url?.pathname === '/state-version') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`${answers().version}\n`);
    } else if (answers().sites.has(servedName(answers(), lowerCaseName(request)))) {
      // Directories of sites only match lower-case names, but host names ignore case (RFC 3986, section 3.2.2).
      response.writeHead(308, { location: `//${request.headers.host?.toLowerCase()}${request.url}` }).end();
    } else if (isStopped(answers(), request.headers.host?.toLowerCase() ?? '')) {
      sayStopped(request, response);
    } else if (isAsleep(answers(), request.headers.host?.toLowerCase() ?? '')) {
      sayAsleep(request, response);
    } else {
      refuse(request, response);
    }
  };
}

/** Names that a wildcard covers use its certificate, except if Caddy's own CA creates one for each name. */
function mayHaveCertificate(
  answers: EdgeAnswers,
  domain: string,
  { isFree }: Pick<CertificatePermission, 'isFree'>,
): boolean {
  return answers.tlsNames.has(isFree(domain) ? servedName(answers, domain) : domain);
}

function lowerCaseName({ headers: { host = '' } }: IncomingMessage): string {
  const name = host.replace(/:\d+$/, '');
  return name === name.toLowerCase() ? '' : name.toLowerCase();
}

const isStopped = (answers: EdgeAnswers, host: string) =>
  routeNamesOf(host).some((name) => answers.stopped.has(servedName(answers, name)));

/** True for a sleeping service. Its requests arrive here only if the runner does not wake it. */
const isAsleep = (answers: EdgeAnswers, host: string) =>
  routeNamesOf(host).some((name) => answers.services.get(servedName(answers, name))?.asleep !== undefined);

/** @param host with the port, if there is one */
function routeNamesOf(host: string): string[] {
  const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  return port === undefined ? [name] : [name, hostPortName(port)];
}

function sayAsleep(request: IncomingMessage, response: ServerResponse): void {
  sendOwnAnswer(askedBy(request), response, {
    status: 503,
    sentence: `${siteOf(request)} sleeps and can't be woken now. Try again in a minute.`,
    code: 'asleep',
    source: asleepService,
    headers: { 'retry-after': '60' },
  });
}

function sayStopped(request: IncomingMessage, response: ServerResponse): void {
  const sentence = `${siteOf(request)} is stopped. It answers again once its owner starts it.`;
  sendOwnAnswer(askedBy(request), response, {
    status: 503,
    sentence,
    code: 'stopped',
    source: stoppedService,
  });
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  const sentence = `Nothing is deployed under ${request.headers.host ?? 'this name'} on this host. If something should be, check the service's domains and its last deployment.`;
  sendOwnAnswer(askedBy(request), response, { status: 404, sentence, code: 'no_route', source: noRoute });
}

const siteOf = ({ headers }: IncomingMessage) => headers.host ?? 'This site';
const askedBy = ({ method, headers }: IncomingMessage) => ({ method, accept: headers.accept });
