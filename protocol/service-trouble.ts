/** Why the live version of a service does not serve as it should. */
import { z } from 'zod';

/** A service tells no more lines of its trouble. */
export const troubleLinesMax = 20;

export const serviceTroubleSchema = z.object({
  /** Such as "The container ran out of memory (limit 256 MB) and was killed." */
  sentence: z.string(),
  /** What its container printed last, secrets masked. */
  lastLines: z.array(z.string()).max(troubleLinesMax),
});

export type ServiceTrouble = z.infer<typeof serviceTroubleSchema>;
