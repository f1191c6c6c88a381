/**
 * A runner's settings: `<data>/runner.json`, written by `enroll`, mode 0600. The keys are in the same directory, the journal is
 * `<data>/journal.db`.
 */
import { z } from 'zod';
import { publicIpSchema } from '../../protocol/runner-facts.ts';
import { trustedProxySchema } from './trusted-proxies.ts';

const acmeDirectorySchema = z.union([z.literal('internal'), z.url({ protocol: /^https$/ })]);

export const runnerConfigSchema = z.object({
  /** Base URL of the control plane. */
  url: z.url(),
  runnerId: z.string(),
  name: z.string(),
  httpPort: z.number().int(),
  httpsPort: z.number().int(),
  webPorts: z.object({ first: z.number().int(), last: z.number().int() }),
  databasePorts: z.object({ first: z.number().int(), last: z.number().int() }),
  /** Path of the Caddy binary. */
  caddyPath: z.string(),
  /** The parts that may connect to private addresses: a subset of `git`, `import`, `drain`; LONGSHORE_ALLOW_PRIVATE overrides it. */
  allowPrivate: z.array(z.enum(['git', 'import', 'drain'])),
  /** Project networks are /24s from this range. */
  networkRange: z.string().default('10.210.0.0/15'),
  /** Ports of the host (TCP and UDP) that containers and build steps may reach, besides the proxy's. */
  hostPorts: z.array(z.number().int().min(1).max(65_535)).default([]),
  /** Networks of proxies in front of this host, or `cloudflare`: what they say about visitors is believed. */
  trustedProxies: z.array(trustedProxySchema).default([]),
  /** Port on 127.0.0.1 at which Prometheus reads the metrics of this host; `null` for none. */
  metricsPort: z.number().int().min(1).max(65_535).nullable().default(null),
  /** Maximum number of builds at the same time. */
  concurrentBuilds: z.number().int().min(1).default(2),
  /** Memory limit of one build in megabytes (2^20 bytes); `null` for half of the machine's memory. */
  buildMemoryMb: z.number().int().min(16).nullable().default(null),
  /** CPU limit of one build in processors, such as 1.5; `null` for half of the machine's. */
  buildCpus: z.number().min(0.1).nullable().default(null),
  /** Megabytes of build cache to keep when disk space is freed; `null` for 10 GB, or a fifth of a small disk. */
  buildCacheMb: z.number().int().min(0).nullable().default(null),
  /** Megabytes on disk that the kept log of one service may take, compressed. */
  keptLogMb: z.number().int().min(1).default(100),
  /** Megabytes for the kept logs of all services; `null` for 5 % of the file system, at most 10 GB. */
  keptLogTotalMb: z.number().int().min(1).nullable().default(null),
  /** Days for which lines of services are kept. */
  keptLogDays: z.number().int().min(1).max(3_650).default(30),
  /**
   * Replacement base images for builds without a Dockerfile, by name or name and version: `{"node": "mirror.example/node:{version}-slim"}`.
   */
  baseImages: z.record(z.string(), z.string()).default({}),
  publicIp: publicIpSchema.default(null),
  /**
   * `internal` for Caddy's own CA, else the ACME directory (RFC 8555, section 7.1.1) of a public CA. The CA must reach this host on
   * port 80 (HTTP-01) or 443 (TLS-ALPN-01): map those ports if `httpPort` and `httpsPort` differ.
   */
  acmeDirectory: acmeDirectorySchema.default('https://acme-v02.api.letsencrypt.org/directory'),
  /** The address for the CA's messages about the certificates. */
  acmeEmail: z.email().nullable().default(null),
  /** Absolute path of a PEM file: the root certificate that verifies a private CA's server. */
  acmeCaRoot: z.string().startsWith('/').nullable().default(null),
});

export type RunnerConfig = z.infer<typeof runnerConfigSchema>;
