/** The way out of what serves no more or never did: background work that holds no job, safe to do twice. */
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { DockerHost } from '../../docker/client.ts';
import { removeContainer, stopContainer } from '../../docker/containers.ts';
import { removeImage } from '../../docker/images.ts';
import type { Traffic } from '../../proxy/traffic.ts';
import { removeAttempt } from './remove-attempt.ts';

export const retirementSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('container'),
    containerId: z.string(),
    /** Where the proxy may still have connections open; null when it had none. */
    address: z.string().nullable(),
  }),
  z.object({ kind: z.literal('release'), directory: z.string() }),
  /** An image too old to be rolled back to. */
  z.object({ kind: z.literal('image'), tag: z.string() }),
  /** A failed attempt that could not take everything back, because Docker was away. */
  z.object({
    kind: z.literal('attempt'),
    serviceId: z.string(),
    deploymentId: z.string(),
    epoch: z.number().int(),
  }),
]);

export type Retirement = z.infer<typeof retirementSchema>;

/** A request that has just been led to the old release opens its file within this time; an open file outlives its name. */
const settleMs = 1_000;
/** Open connections (downloads, WebSockets) end with the old version after this long. */
const drainTimeoutMs = 30_000;

/**
 * Drains, stops and removes what served before; takes away what a failed attempt has left.
 * @throws DockerError: try again later; the signal's reason
 */
export async function retire(
  parts: { docker: DockerHost; traffic: Traffic; dataDirectory: string },
  retirement: Retirement,
  signal: AbortSignal,
): Promise<void> {
  if (retirement.kind === 'release') {
    await delay(settleMs, undefined, { signal });
    await rm(retirement.directory, { recursive: true, force: true });
    return;
  }
  if (retirement.kind === 'image') return await removeImage(parts.docker, retirement.tag);
  if (retirement.kind === 'attempt') return await removeAttempt(parts, retirement);
  if (retirement.address) await parts.traffic.drained(retirement.address, drainTimeoutMs, signal);
  await stopContainer(parts.docker, retirement.containerId);
  await removeContainer(parts.docker, retirement.containerId);
}
