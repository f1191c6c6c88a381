/** Work on a host that is not lost while the host is away: removals, which outlive their rows, and changes of names. Every task is idempotent. */
import { z } from 'zod';
import { idSchema } from './ids.ts';
import { serviceNamesSchema } from './service-names.ts';

export const hostTaskSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('remove-service'),
    serviceId: idSchema('service'),
    projectId: idSchema('project'),
    hostnames: z.array(z.string()),
    hostPort: z.number().int(),
  }),
  z.object({
    kind: z.literal('remove-project'),
    projectId: idSchema('project'),
    /** Of the services that went with it. What runs of others began in this project and moves with its next deployment. */
    serviceIds: z.array(idSchema('service')).optional(),
  }),
  /** The data of a database: due a day after its service, which is gone by then. */
  z.object({
    kind: z.literal('remove-volumes'),
    serviceId: idSchema('service'),
    projectId: idSchema('project'),
  }),
  /** The copy of a backup that lies on the host. */
  z.object({
    kind: z.literal('remove-backup'),
    serviceId: idSchema('service'),
    projectId: idSchema('project'),
    backupId: idSchema('backup'),
  }),
  /** A host that knows a later revision keeps it, and answers all the same. */
  serviceNamesSchema.extend({
    kind: z.literal('set-hostnames'),
    serviceId: idSchema('service'),
    projectId: idSchema('project'),
    /** Names that came or went: what a request by each is answered then is the result. */
    changed: z.array(z.string()),
  }),
]);

/** The `proxy` object of many answers: the result of a real request through the proxy. */
export const proxyResultSchema = z.object({ ok: z.boolean(), detail: z.string() });

export type HostTask = z.infer<typeof hostTaskSchema>;
/** One task by its kind: `HostTaskOf<'remove-service'>`. */
export type HostTaskOf<Kind extends HostTask['kind']> = Extract<HostTask, { kind: Kind }>;
export type ProxyResult = z.infer<typeof proxyResultSchema>;
