/** What a runner tells about its host at enrolment and at every hello. */
import { z } from 'zod';

const portBlockSchema = z.object({ first: z.number().int(), last: z.number().int() });

export const runnerFactsSchema = z.object({
  version: z.string(),
  arch: z.string(),
  cpus: z.number().int(),
  memoryMb: z.number().int(),
  dockerVersion: z.string().nullable(),
  /** Address of the default route; null when the host knows none. */
  publicIp: z.string().nullable(),
  httpPort: z.number().int(),
  httpsPort: z.number().int(),
  /** Blocks of loopback ports that were free when the runner was enrolled: web and static services, databases. */
  webPorts: portBlockSchema,
  databasePorts: portBlockSchema,
});

export type RunnerFacts = z.infer<typeof runnerFactsSchema>;
