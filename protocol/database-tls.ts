/** What a host knows of the TLS of a database: its answer to `database-tls`. */
import { z } from 'zod';

export const databaseTlsAnswerSchema = z.object({
  /** It runs, and offers a certificate that verifies against `authority`. */
  active: z.boolean(),
  /** PEM: the certificate of the host's CA; null when the database has no certificate of it. */
  authority: z.string().nullable(),
});

export type DatabaseTlsAnswer = z.infer<typeof databaseTlsAnswerSchema>;
