/** Who writes which log on a socket of its own, and how the Worker tells the log's object. */
import { z } from 'zod';

export const logWriterSchema = z.object({
  runnerId: z.string(),
  log: z.discriminatedUnion('kind', [
    /** The log of an attempt at a job; `id`: its deployment or run. */
    z.object({ kind: z.literal('job'), id: z.string(), job: z.string(), epoch: z.number().int() }),
    /** The log of a service's container; `id`: the service. */
    z.object({ kind: z.literal('service'), id: z.string() }),
  ]),
  /** Epoch milliseconds: no line is taken on the socket later. */
  until: z.number().int(),
});

/** Who writes which log. */
export type LogWriter = z.infer<typeof logWriterSchema>;

/** As a header of the upgrade on its way to the log's object. */
export const logWriterHeader = 'x-longshore-log-writer';

/** The writer of an upgrade that the connect route has let in; null: the upgrade is a reader's. */
export function logWriterOf(request: Request): LogWriter | null {
  const header = request.headers.get(logWriterHeader);
  return header === null ? null : logWriterSchema.parse(JSON.parse(header));
}
