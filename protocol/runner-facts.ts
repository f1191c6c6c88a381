/** The facts that a runner reports about its host at enrolment and at every hello. */
import { z } from 'zod';

const portBlockSchema = z.object({ first: z.number().int(), last: z.number().int() });

export const publicIpSchema = z
  .union([z.ipv4(), z.ipv6()], { error: 'must be an IPv4 or IPv6 address, or null' })
  .nullable();

export const runnerFactsSchema = z.object({
  version: z.string(),
  arch: z.string(),
  cpus: z.number().int(),
  memoryMb: z.number().int(),
  dockerVersion: z.string().nullable(),
  /** Docker's builder has the fixes of CVE-2024-23651, 23652 and 23653. null: Docker does not answer. Absent: an old runner. */
  buildFixes: z.boolean().nullable().optional(),
  /** The operator's setting, or else the address of the default route; null if there is none. */
  publicIp: publicIpSchema,
  httpPort: z.number().int(),
  httpsPort: z.number().int(),
  /** Blocks of loopback ports that were free at enrolment, for web and static services and for databases. */
  webPorts: portBlockSchema,
  databasePorts: portBlockSchema,
});

export type RunnerFacts = z.infer<typeof runnerFactsSchema>;
