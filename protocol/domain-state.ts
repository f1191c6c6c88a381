/** What a host sees of the custom domains it serves: where their DNS points, and the state of their certificates. */
import { z } from 'zod';

export const certificateStateSchema = z.object({
  /** `none`: nobody asked for one yet, or the name is not active. `pending`: the CA is being asked. */
  state: z.enum(['none', 'pending', 'issued', 'failed']),
  /** End of its validity, epoch milliseconds; null unless issued. */
  expiresAt: z.number().int().nullable(),
  /** Why it failed or what it waits for, in a sentence; empty when there is nothing to say. */
  detail: z.string(),
});

export const domainStateSchema = z.object({
  hostname: z.string(),
  /** `unknown`: the name servers did not answer, so nothing changes. */
  dns: z.enum(['here', 'elsewhere', 'unknown']),
  /** What was found, in a sentence. */
  detail: z.string(),
  certificate: certificateStateSchema,
});

export type CertificateState = z.infer<typeof certificateStateSchema>;
export type DomainState = z.infer<typeof domainStateSchema>;
