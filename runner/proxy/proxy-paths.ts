/** The proxy's files below a runner's data directory. Both edge and Caddy read them; only the runner writes. */
import { join } from 'node:path';

export interface ProxyPaths {
  edgeDirectory: string;
  /** The routes of the host: the only source of truth. */
  edgeState: string;
  edgePort: string;
  edgeProcess: string;
  edgeLog: string;
  /** The unix socket on which Caddy asks edge over DNS. */
  dnsSocket: string;
  /** The unix socket on which edge answers Caddy's questions about the traffic rules of a request. */
  rulesSocket: string;
  /** Node's compile cache of `edge`: without it the TypeScript stripper stays in memory (16 MB). */
  edgeCache: string;
  caddyDirectory: string;
  caddyConfig: string;
  caddyProcess: string;
  caddyLog: string;
  /** Caddy's log about CAs and certificates. */
  caddyCertificateLog: string;
  /** The log with one line for each request, which the runner counts. */
  requestLog: string;
  caddyStorage: string;
  /** The directory with an empty file per host name that is served only over HTTPS. */
  httpsNames: string;
  /** The directory with an empty file per route name whose route is changing: Caddy asks edge again sooner. */
  switchingNames: string;
  /** The directory with an empty file per route name whose service is asleep: Caddy holds its requests for longer. */
  sleepingNames: string;
  /** The directory with an empty file per route name whose app speaks HTTP/2 without TLS: Caddy asks edge for the address of each request. */
  h2cNames: string;
  /** The directory with an empty file per requested service that is asleep: edge creates the files, the runner removes them. */
  wakes: string;
  /** The directory with an empty file per host name with traffic rules: Caddy asks edge about its requests. */
  ruledNames: string;
  /** The directory with an empty file per wildcard, and per name below one that another route has. */
  wildcardNames: string;
  /** Names whose certificate order failed, and the time of the next try. */
  certificateFailures: string;
  /** Certificate orders of the last days for names whose orders are limited. */
  certificateOrders: string;
  /** Certificates provided by owners of names, with their keys: `<name>.pem`. */
  ownCertificates: string;
  /** Certificates of wildcards that this host has ordered, with their keys: `_w.<name>.pem`. */
  wildcardCertificates: string;
  /** The key of the account at the CA, with which they are ordered. */
  acmeAccount: string;
  /** The password with which Caddy requests owners' certificates from itself. */
  ownCertificatesSecret: string;
  adminSocket: string;
  /** The directory with a link per host name and host port of a static site, and the releases themselves. */
  sites: string;
}

export function proxyPaths(dataDirectory: string): ProxyPaths {
  const edge = join(dataDirectory, 'edge');
  const caddy = join(dataDirectory, 'caddy');
  return {
    edgeDirectory: edge,
    edgeState: join(edge, 'state.json'),
    edgePort: join(edge, 'port.json'),
    edgeProcess: join(edge, 'process.json'),
    edgeLog: join(edge, 'edge.log'),
    dnsSocket: join(edge, 'dns.sock'),
    rulesSocket: join(edge, 'rules.sock'),
    edgeCache: join(edge, 'compile-cache'),
    caddyDirectory: caddy,
    caddyConfig: join(caddy, 'caddy.json'),
    caddyProcess: join(caddy, 'process.json'),
    caddyLog: join(caddy, 'caddy.log'),
    caddyCertificateLog: join(caddy, 'certificates.log'),
    requestLog: join(caddy, 'requests.log'),
    httpsNames: join(caddy, 'https-names'),
    switchingNames: join(caddy, 'switching-names'),
    sleepingNames: join(caddy, 'sleeping-names'),
    h2cNames: join(caddy, 'h2c-names'),
    wakes: join(edge, 'wakes'),
    ruledNames: join(caddy, 'ruled-names'),
    wildcardNames: join(caddy, 'wildcard-names'),
    certificateFailures: join(caddy, 'certificate-failures.json'),
    certificateOrders: join(caddy, 'certificate-orders.json'),
    caddyStorage: join(caddy, 'storage'),
    ownCertificates: join(caddy, 'own-certificates'),
    wildcardCertificates: join(caddy, 'wildcard-certificates'),
    acmeAccount: join(caddy, 'acme-account.json'),
    ownCertificatesSecret: join(caddy, 'own-certificates-secret'),
    adminSocket: join(caddy, 'admin.sock'),
    sites: join(dataDirectory, 'sites'),
  };
}
