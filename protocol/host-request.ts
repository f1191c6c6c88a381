/** Questions that the control plane asks a connected host while a client waits for the answer. Secrets in them travel sealed. */
import { z } from 'zod';

export const hostRequestSchema = z.discriminatedUnion('op', [
  /** What does a request through the host's proxy by this name get? Answer: `ProxyResult`. */
  z.object({ op: z.literal('probe-route'), hostname: z.string() }),
  /** Calls Namecheap. `sealed`: a `NamecheapQuestion` for `questionPlace`. Answer: `NamecheapAnswer`. */
  z.object({ op: z.literal('namecheap'), sealed: z.string() }),
]);

export type HostRequest = z.infer<typeof hostRequestSchema>;
export type HostRequestOf<Op extends HostRequest['op']> = Extract<HostRequest, { op: Op }>;
