import type { ProxyPaths } from '../proxy-paths.ts';

/** What Caddy's configuration depends on. */
export interface CaddyFacts {
  paths: Pick<
    ProxyPaths,
    'adminSocket' | 'caddyStorage' | 'caddyLog' | 'caddyCertificateLog' | 'httpsNames' | 'sites'
  >;
  httpPort: number;
  httpsPort: number;
  /** Host ports of web services and static sites, on 127.0.0.1. */
  webPorts: { first: number; last: number };
  /** Port of edge on 127.0.0.1, UDP and TCP. */
  edgePort: number;
  /** `internal`, or the ACME directory of the CA for real domains. */
  acmeDirectory: string;
  /** Whom the CA writes to about the certificates; null: nobody. */
  acmeEmail: string | null;
  /** PEM file of the root that the CA's own server is trusted by; null: those of the machine. */
  acmeCaRoot: string | null;
  /** What `caddy version` prints. */
  caddyVersion: string;
}
