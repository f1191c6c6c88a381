/** What a host observes of a service that runs on it. */
import { z } from 'zod';
import { serviceTroubleSchema } from '../service-trouble.ts';
import { sleepHistorySchema } from './sleep-history.ts';

export const observedServiceSchema = z.object({
  serviceId: z.string(),
  deploymentId: z.string(),
  state: z.enum(['running', 'crashed', 'stopped']),
  reachable: z.boolean(),
  trouble: serviceTroubleSchema.optional(),
  /** Absent: its live version has not slept yet. */
  sleep: sleepHistorySchema.optional(),
  /** What the container and its data volume hold, in units of 2^20 bytes, rounded; absent: not measured. */
  diskMb: z.number().int().nonnegative().optional(),
  /** What each of its volumes holds, in units of 2^20 bytes, rounded up; absent: not measured. */
  volumes: z.array(z.object({ id: z.string(), usedMb: z.number().int().nonnegative() })).optional(),
});
