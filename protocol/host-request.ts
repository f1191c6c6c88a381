/** Questions that the control plane asks a connected host while a client waits for the answer. Secrets in them travel sealed. */
import { z } from 'zod';
import { databaseAskSchema, engineNames } from './database.ts';
import { idSchema } from './ids.ts';

export const hostRequestSchema = z.discriminatedUnion('op', [
  /** What does a request through the host's proxy by this name get? Answer: `ProxyResult`. */
  z.object({ op: z.literal('probe-route'), hostname: z.string() }),
  /** Sends a backup's local copy, from `offset`, to whoever waits at the transfer. Answer: `{size}` once it is open; the bytes follow. */
  z.object({
    op: z.literal('send-backup'),
    backupId: idSchema('backup'),
    serviceId: idSchema('service'),
    transferId: idSchema('transfer'),
    /** Proves the parts that are sent for it: a bearer token. */
    transferToken: z.string(),
    offset: z.number().int().nonnegative(),
    end: z.number().int().positive(),
  }),
  /** Calls Namecheap. `sealed`: a `NamecheapQuestion` for `questionPlace`. Answer: `NamecheapAnswer`. */
  z.object({ op: z.literal('namecheap'), sealed: z.string() }),
  /** Asks the service's database. Answer: that of the action (`databaseAnswerSchemas`); refusals are of `databaseRefusals`. */
  z.object({
    op: z.literal('database'),
    serviceId: z.string(),
    engine: z.enum(engineNames),
    ask: databaseAskSchema,
  }),
  /** Is TLS offered by the service's database? Answer: `DatabaseTlsAnswer`. */
  z.object({ op: z.literal('database-tls'), serviceId: z.string() }),
]);

export type HostRequest = z.infer<typeof hostRequestSchema>;
export type HostRequestOf<Op extends HostRequest['op']> = Extract<HostRequest, { op: Op }>;
