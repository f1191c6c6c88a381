/** The writers of logs on sockets of their own, and how the Worker identifies one to the log's object. */
import { z } from 'zod';

export const logWriterSchema = z.object({
  runnerId: z.string(),
  log: z.discriminatedUnion('kind', [
    /** The log of an attempt at a job; `id`: its deployment or run. */
    z.object({ kind: z.literal('job'), id: z.string(), job: z.string(), epoch: z.number().int() }),
    /** The log of a service's container; `id`: the service. */
    z.object({ kind: z.literal('service'), id: z.string() }),
  ]),
  /** Epoch milliseconds after which the socket accepts no line. */
  until: z.number().int(),
});

/** A writer and its log. */
export type LogWriter = z.infer<typeof logWriterSchema>;

/** The writer, as a header of the upgrade request to the log's object. */
export const logWriterHeader = 'x-longshore-log-writer';

/** The writer of an upgrade that the connect route accepted; null for a reader's upgrade. */
export function logWriterOf(request: Request): LogWriter | null {
  const header = request.headers.get(logWriterHeader);
  return header === null ? null : logWriterSchema.parse(JSON.parse(header));
}
