/** Tasks for a host that are kept while it is offline: removals, whose rows no longer exist, and changes of names. Every task is idempotent. */
import { z } from 'zod';
import { idSchema } from './ids.ts';
import { note } from './note.ts';
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
    /** The service has moved to another host: its earlier output stays on this one, for searches and for drains whose receivers can't be reached. */
    keepsLogs: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('remove-project'),
    projectId: idSchema('project'),
    /** The project's deleted services. Containers of services that have moved to another project stay until their next deployment. */
    serviceIds: z.array(idSchema('service')).optional(),
  }),
  /** Stop the live version until the next deployment. If another version is live on the host by then, nothing changes. */
  z.object({
    kind: z.literal('stop-service'),
    serviceId: idSchema('service'),
    projectId: idSchema('project'),
    /** The live deployment. */
    deploymentId: idSchema('deployment'),
  }),
  /** Remove a deleted volume that can't be restored any more. Retried while a container uses the volume. */
  z.object({
    kind: z.literal('remove-volume'),
    serviceId: idSchema('service'),
    projectId: idSchema('project'),
    volumeId: idSchema('volume'),
  }),
  /** Remove the data of a deleted service that can't be restored any more. */
  z.object({
    kind: z.literal('remove-volumes'),
    serviceId: idSchema('service'),
    projectId: idSchema('project'),
  }),
  /** Remove the copy of a backup on the host. */
  z.object({
    kind: z.literal('remove-backup'),
    serviceId: idSchema('service'),
    projectId: idSchema('project'),
    backupId: idSchema('backup'),
  }),
  /** Set the names of a service. A host with a later revision keeps its names, and answers anyway. */
  serviceNamesSchema.extend({
    kind: z.literal('set-hostnames'),
    serviceId: idSchema('service'),
    projectId: idSchema('project'),
    /** Names that were added or removed; the task's result says how requests to them are answered. */
    changed: z.array(z.string()),
  }),
]);

/** The result of a real request through the proxy; the `proxy` object of API responses. */
export const proxyResultSchema = z.object({
  ok: z.boolean().describe('Whether it succeeded.'),
  detail: z
    .string()
    .meta(
      note(
        'What happened or what it waits for, as a sentence.',
        'shop.example.com answered 200 through the proxy in 13 ms.',
      ),
    ),
});

export type HostTask = z.infer<typeof hostTaskSchema>;
/** One task by its kind: `HostTaskOf<'remove-service'>`. */
export type HostTaskOf<Kind extends HostTask['kind']> = Extract<HostTask, { kind: Kind }>;
export type ProxyResult = z.infer<typeof proxyResultSchema>;
