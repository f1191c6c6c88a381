/**
 * A runner's settings: `<data>/runner.json`, written by `enroll`, mode 0600. Keys are beside it, the journal is `<data>/journal.db`.
 */
import { z } from 'zod';

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
  publicIp: z.string().nullable().default(null),
  /** `internal` for a CA of Caddy's own, else the ACME directory of the CA for real domains. */
  acmeDirectory: z.string().default('https://acme-v02.api.letsencrypt.org/directory'),
});

export type RunnerConfig = z.infer<typeof runnerConfigSchema>;
