/** A host's answer to `database-tls`: the state of a database's TLS. */
import { z } from 'zod';

export const databaseTlsAnswerSchema = z.object({
  /** The database is running and presents a certificate that verifies against `authority`. */
  active: z.boolean(),
  /** PEM: the host's CA certificate; null if the database has no certificate from it. */
  authority: z.string().nullable(),
});

export type DatabaseTlsAnswer = z.infer<typeof databaseTlsAnswerSchema>;
