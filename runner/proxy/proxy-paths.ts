/** Where the proxy keeps its files below a runner's data directory. Both programs of the data path read them; only the runner writes. */
import { join } from 'node:path';

export interface ProxyPaths {
  edgeDirectory: string;
  /** The one truth of the host's routes. */
  edgeState: string;
  edgePort: string;
  edgeProcess: string;
  edgeLog: string;
  /** Node's compile cache of `edge`: without it the TypeScript stripper stays in memory (16 MB). */
  edgeCache: string;
  caddyDirectory: string;
  caddyConfig: string;
  caddyProcess: string;
  caddyLog: string;
  /** What Caddy says of CAs and certificates. */
  caddyCertificateLog: string;
  caddyStorage: string;
  /** One empty file per host name that is served over HTTPS alone. */
  httpsNames: string;
  /** Names that got no certificate, and when they are asked for again. */
  certificateFailures: string;
  adminSocket: string;
  /** One link per host name and host port that a static site serves, and the releases themselves. */
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
    edgeCache: join(edge, 'compile-cache'),
    caddyDirectory: caddy,
    caddyConfig: join(caddy, 'caddy.json'),
    caddyProcess: join(caddy, 'process.json'),
    caddyLog: join(caddy, 'caddy.log'),
    caddyCertificateLog: join(caddy, 'certificates.log'),
    httpsNames: join(caddy, 'https-names'),
    certificateFailures: join(caddy, 'certificate-failures.json'),
    caddyStorage: join(caddy, 'storage'),
    adminSocket: join(caddy, 'admin.sock'),
    sites: join(dataDirectory, 'sites'),
  };
}
