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
    | 'dnsSocket'
    | 'rulesSocket'
    | 'sites'
    | 'ownCertificates'
    | 'wildcardCertificates'
    | 'wildcardNames'
  >;
  /** Password by which Caddy asks itself for certificates of owners: no other program of the host may read their keys. */
  ownCertificatesSecret: string;
  httpPort: number;
  httpsPort: number;
  /** Host ports of web services and static sites, on 127.0.0.1. */
  webPorts: { first: number; last: number };
  /** Those of them that another program has, ascending. */
  foreignPorts: readonly number[];
  /** Port of edge on 127.0.0.1, UDP and TCP. */
  edgePort: number;
  /** `internal`, or the ACME directory of the CA for real domains. */
  acmeDirectory: string;
  /** E-mail address for the CA's messages about certificates; null: none. */
  acmeEmail: string | null;
  /** PEM file with the root certificate that verifies the CA's own server; null: the machine's roots. */
  acmeCaRoot: string | null;
  /** The output of `caddy version`. */
  caddyVersion: string;
}
