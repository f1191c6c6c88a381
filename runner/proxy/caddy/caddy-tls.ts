/** The TLS parts of Caddy's config: the issuers of certificates, and the names that are served only over HTTPS. */
import type { CaddyFacts } from './caddy-facts.ts';
import { matchBelow, requestName, wildcardFile } from './caddy-names.ts';
import { hostMatcher } from './caddy-site.ts';
import { isCaddy28 } from './caddy-version.ts';
import { rangesWithout } from './foreign-ports.ts';

/** Names that no public CA can certify use Caddy's own CA; certmagic's wildcards match one label each. */
export function tlsPolicies(facts: CaddyFacts) {
  const { acmeDirectory, acmeEmail, acmeCaRoot } = facts;
  const asked = { on_demand: true, get_certificate: [{ via: 'http', url: ownCertificatesUrl(facts) }] };
  const internal = { ...asked, issuers: [{ module: 'internal' }] };
  if (acmeDirectory === 'internal') return [internal];
  const local = ['*', '*.localhost', '*.*.localhost', '*.*.*.localhost'];
  const issuer = {
    module: 'acme',
    ca: acmeDirectory,
    ...(acmeEmail === null ? {} : { email: acmeEmail }),
    ...(acmeCaRoot === null ? {} : { trusted_roots_pem_files: [acmeCaRoot] }),
  };
  return [
    { subjects: local, ...internal },
    { ...asked, issuers: [issuer] },
  ];
}

/**
 * Caddy requests a certificate given by the owner of a name from itself, before it looks for an automatic one. It does so with each
 * handshake, because it keeps none, and only for names without an automatic one in memory. So a new file is served at once, without a
 * reload.
 */
const ownCertificatesUrl = ({ webPorts, foreignPorts, ownCertificatesSecret }: CaddyFacts) => {
  const port = rangesWithout(webPorts, foreignPorts)[0]?.first ?? webPorts.first;
  return `http://${asker}:${ownCertificatesSecret}@127.0.0.1:${port}${ownCertificatesPath}`;
};

/** The secret is sent as a password: Caddy logs URLs that fail, but without their password. */
const asker = 'proxy';
const ownCertificatesPath = '/.longshore/own-certificate';

/** Answers `ownCertificatesUrl`; 204 if there is none. Such a request is not counted for the service that has the port. */
export function ownCertificatesRoute({ paths, ownCertificatesSecret }: CaddyFacts) {
  const root = paths.ownCertificates;
  const password = `${asker}:${ownCertificatesSecret}`;
  return {
    match: [{ path: [ownCertificatesPath], header: { Authorization: [`Basic ${btoa(password)}`] } }],
    terminal: true,
    handle: [
      { handler: 'vars', skip_log: true },
      {
        handler: 'subroute',
        routes: [
          fileRoute(root, { file: { root, try_files: [`/${asked}.pem`] } }),
          // A name of another route is not served with a certificate of the wildcard's owner.
          { match: [{ file: { root: paths.wildcardNames, try_files: [`/${asked}`] } }], ...none },
          {
            match: [matchBelow(asked)],
            handle: [
              {
                handler: 'subroute',
                routes: [root, paths.wildcardCertificates].map((one) =>
                  fileRoute(one, wildcardFile(one, '.pem')),
                ),
              },
            ],
          },
          none,
        ],
      },
    ],
  };
}

const asked = '{http.request.uri.query.server_name}';
const none = { terminal: true, handle: [{ handler: 'static_response', status_code: '204' }] };

const fileRoute = (root: string, match: object) => ({
  match: [match],
  terminal: true,
  handle: [
    { handler: 'rewrite', uri: '{http.matchers.file.relative}' },
    { handler: 'file_server', root },
  ],
});

/** Each certificate needs edge's permission. Caddy 2.8 changed the form of this setting and will drop the old one. */
export function onDemand({ caddyVersion, edgePort }: CaddyFacts) {
  const ask = `http://127.0.0.1:${edgePort}/ask`;
  return isCaddy28(caddyVersion) ? { permission: { module: 'http', endpoint: ask } } : { ask };
}

/**
 * A name with a certificate is served only over HTTPS: the runner keeps a file for each. Two kinds of requests are not redirected: those to
 * another port than Caddy's (a mapped port, whose HTTPS port is unknown), and those that another proxy in front has received over HTTPS.
 * The CA's challenges (RFC 8555, section 8.3) are answered before any route.
 */
export function redirectToHttps({ paths, httpPort, httpsPort }: CaddyFacts) {
  const came = httpPort === 80 ? '(:80)?' : `:${httpPort}`;
  const port = httpsPort === 443 ? '' : `:${httpsPort}`;
  const { header_regexp, not } = hostMatcher('', came);
  return {
    match: [
      {
        header_regexp,
        not: [...not, { header: { 'X-Forwarded-Proto': ['https'] } }],
        file: { root: paths.httpsNames, try_files: [`/${requestName}`] },
      },
    ],
    terminal: true,
    handle: [
      {
        handler: 'static_response',
        status_code: '308',
        headers: {
          Location: [`https://{http.request.host}${port}{http.request.uri}`],
          'Cache-Control': ['no-store'],
        },
      },
    ],
  };
}
