import type { ProxyPaths } from '../proxy-paths.ts';

/** The facts that Caddy's configuration depends on. */
export interface CaddyFacts {
  paths: Pick<
    ProxyPaths,
    | 'adminSocket'
    | 'caddyStorage'
    | 'caddyLog'
    | 'caddyCertificateLog'
    | 'requestLog'
    | 'httpsNames'
    | 'switchingNames'
    | 'ruledNames'
    | 'sleepingNames'
    | 'h2cNames'
    | 'dnsSocket'
    | 'rulesSocket'
    | 'sites'
    | 'ownCertificates'
    | 'wildcardCertificates'
    | 'wildcardNames'
  >;
  /** Password with which Caddy requests certificates of owners from itself: no other program of the host may read their keys. */
  ownCertificatesSecret: string;
  httpPort: number;
  httpsPort: number;
  /** Host ports of web services and static sites, on 127.0.0.1. */
  webPorts: { first: number; last: number };
  /** The host ports that another program uses, ascending. */
  foreignPorts: readonly number[];
  /** Networks of proxies in front of this host, or `cloudflare`. */
  trustedProxies: readonly string[];
  /** Port of edge on 127.0.0.1. */
  edgePort: number;
  /** `internal`, or the ACME directory of the CA for real domains. */
  acmeDirectory: string;
  /** E-mail address for the CA's messages about certificates; `null` for none. */
  acmeEmail: string | null;
  /** PEM file with the root certificate that verifies the CA's own server; `null` for the machine's roots. */
  acmeCaRoot: string | null;
  /** The output of `caddy version`. */
  caddyVersion: string;
}
