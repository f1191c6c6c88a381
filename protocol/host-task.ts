/** Tasks for a host that are not lost while it is offline: removals, which outlive their rows, and changes of names. Every task is idempotent. */
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
    /** The service may be restored: its images stay. */
    keepsImages: z.boolean().optional(),
    /** The service has moved to another host: what it printed here stays, for searches and for drains whose receivers are away. */
    keepsLogs: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('remove-project'),
    projectId: idSchema('project'),
    /** The project's deleted services. Containers of services that have moved to another project stay until their next deployment. */
    serviceIds: z.array(idSchema('service')).optional(),
  }),
  /** The live version stands still until the next deployment. A host on which another one is live by then changes nothing. */
  z.object({
    kind: z.literal('stop-service'),
    serviceId: idSchema('service'),
    projectId: idSchema('project'),
    /** The live one. */
    deploymentId: idSchema('deployment'),
  }),
  /** A deleted volume that can't be restored any more. It is retried while a container uses the volume. */
  z.object({
    kind: z.literal('remove-volume'),
    serviceId: idSchema('service'),
    projectId: idSchema('project'),
    volumeId: idSchema('volume'),
  }),
  /** The data of a deleted service that can't be restored any more. */
  z.object({
    kind: z.literal('remove-volumes'),
    serviceId: idSchema('service'),
    projectId: idSchema('project'),
  }),
  /** The copy of a backup on the host. */
  z.object({
    kind: z.literal('remove-backup'),
    serviceId: idSchema('service'),
    projectId: idSchema('project'),
    backupId: idSchema('backup'),
  }),
  /** A host that has a later revision keeps it, and answers anyway. */
  serviceNamesSchema.extend({
    kind: z.literal('set-hostnames'),
    serviceId: idSchema('service'),
    projectId: idSchema('project'),
    /** Names that were added or removed; the task's result is what requests to them get. */
    changed: z.array(z.string()),
  }),
]);

/** The result of a real request through the proxy; the `proxy` object of API responses. */
export const proxyResultSchema = z.object({ ok: z.boolean(), detail: z.string() });

export type HostTask = z.infer<typeof hostTaskSchema>;
/** One task by its kind: `HostTaskOf<'remove-service'>`. */
export type HostTaskOf<Kind extends HostTask['kind']> = Extract<HostTask, { kind: Kind }>;
export type ProxyResult = z.infer<typeof proxyResultSchema>;
