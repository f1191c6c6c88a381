/** Work on a host that outlives the rows it came from: removals. Every task is idempotent. */
import { z } from 'zod';
import { idSchema } from './ids.ts';

export const hostTaskSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('remove-service'),
    serviceId: idSchema('service'),
    projectId: idSchema('project'),
    hostnames: z.array(z.string()),
    hostPort: z.number().int(),
  }),
  z.object({ kind: z.literal('remove-project'), projectId: idSchema('project') }),
]);

/** The `proxy` object of INTERFACE section 2: what a real request through the proxy showed. */
export const proxyResultSchema = z.object({ ok: z.boolean(), detail: z.string() });

export type HostTask = z.infer<typeof hostTaskSchema>;
export type ProxyResult = z.infer<typeof proxyResultSchema>;
