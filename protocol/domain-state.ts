/** The state of custom domains, as reported by their host: where their DNS points, and their certificates. */
import { z } from 'zod';

export const certificateStateSchema = z.object({
  state: z
    .enum(['none', 'pending', 'issued', 'failed'])
    .describe('`none`: not requested yet, or the name is not active. `pending`: requested from the CA.'),
  /** End of its validity, epoch milliseconds; null unless issued. */
  expiresAt: z.number().int().nullable(),
  /** Why the certificate failed or waits, as a sentence; may be empty. */
  detail: z.string(),
});

/** SHA-256 in base64url. Other values are refused, so that a host can't have them written into a zone. */
const challengeValueSchema = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

export const domainStateSchema = z.object({
  hostname: z.string(),
  /** `unknown`: the name servers did not answer, so nothing changes. */
  dns: z.enum(['here', 'elsewhere', 'unknown']),
  /** The result, as a sentence. */
  detail: z.string(),
  certificate: certificateStateSchema,
  /** Only for a wildcard: the value that its CA currently looks for in a TXT record (RFC 8555, section 8.4). Absent: none. */
  challenge: challengeValueSchema.optional(),
});

export type CertificateState = z.infer<typeof certificateStateSchema>;
export type DomainState = z.infer<typeof domainStateSchema>;
