/**
 * A runner's settings: `<data>/runner.json`, written by `enroll`, mode 0600. Keys are beside it, the journal is `<data>/journal.db`.
 */
import { z } from 'zod';
import { publicIpSchema } from '../../protocol/runner-facts.ts';

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
  /** What may reach private addresses: a subset of `git`, `import`; LONGSHORE_ALLOW_PRIVATE overrides it. */
  allowPrivate: z.array(z.enum(['git', 'import'])),
  /** Project networks are /24s of this range. */
  networkRange: z.string().default('10.210.0.0/15'),
  /** Builds at once. */
  concurrentBuilds: z.number().int().min(1).default(2),
  /** Megabytes (2^20 bytes) that one build may use; null: half of the machine's. */
  buildMemoryMb: z.number().int().min(16).nullable().default(null),
  /** Processors' worth of time that one build may use, such as 1.5; null: half of the machine's. */
  buildCpus: z.number().min(0.1).nullable().default(null),
  /** Megabytes of build cache that stay when disk space is given back; null: 10 GB, or a fifth of a small disk. */
  buildCacheMb: z.number().int().min(0).nullable().default(null),
  /** Other base images for builds without a Dockerfile, by name or name and version: `{"node": "mirror.example/node:{version}-slim"}`. */
  baseImages: z.record(z.string(), z.string()).default({}),
  publicIp: publicIpSchema.default(null),
  /**
   * `internal` for a CA of Caddy's own, else the ACME directory (RFC 8555, section 7.1.1) of the CA for public names. The CA has to
   * reach this host at port 80 (HTTP-01) or 443 (TLS-ALPN-01): other `httpPort` and `httpsPort` need those mapped to them.
   */
  acmeDirectory: acmeDirectorySchema.default('https://acme-v02.api.letsencrypt.org/directory'),
  /** Whom the CA may write to about the certificates. */
  acmeEmail: z.email().nullable().default(null),
  /** Absolute path of a PEM file: the root by which the CA's own server is trusted, for a private CA. */
  acmeCaRoot: z.string().startsWith('/').nullable().default(null),
});

export type RunnerConfig = z.infer<typeof runnerConfigSchema>;
