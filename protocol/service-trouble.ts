/** Why the live version of a service does not work properly. */
import { z } from 'zod';

/** Maximum number of log lines in a report. */
export const troubleLinesMax = 20;

export const serviceTroubleSchema = z.object({
  /** For example "The container ran out of memory (limit 256 MB) and was killed." */
  sentence: z.string(),
  /** `disk_limit`: the platform itself stopped the container. `missing`: the host no longer has it; set by the control plane. Both are events. */
  cause: z.enum(['disk_limit', 'missing']).optional(),
  /** Set if the live version ended by itself. */
  crash: z
    .object({
      /** Epoch milliseconds of the end. */
      at: z.number().int(),
      exitCode: z.number().int().nullable(),
      outOfMemory: z.boolean(),
    })
    .optional(),
  /** The last log lines of its container, with secrets masked. */
  lastLines: z.array(z.string()).max(troubleLinesMax),
});

export type ServiceTrouble = z.infer<typeof serviceTroubleSchema>;
