/** Removes versions that are no longer live or never were. This is background work outside of jobs, safe to repeat. */
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { labels } from '../../../protocol/names.ts';
import { NotYet } from '../../base/not-yet.ts';
import type { DockerHost } from '../../docker/client.ts';
import {
  listServiceContainers,
  liveNameOf,
  removeContainer,
  renameContainer,
  stopContainer,
} from '../../docker/containers.ts';
import { isConflict } from '../../docker/docker-error.ts';
import { removeImage } from '../../docker/images.ts';
import type { LiveNames } from '../../firewall/live-names.ts';
import type { Traffic } from '../../proxy/traffic.ts';
import { drain } from './drain.ts';
import { removeAttempt } from './remove-attempt.ts';
import { startLive } from './start-live.ts';

export const retirementSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('container'),
    containerId: z.string(),
    /** The address to which the proxy may still have connections; `null` if there were none. */
    address: z.string().nullable(),
    /** Absent if written by an older runner, which had no settings for it. */
    serviceId: z.string().optional(),
    /** The time that its open connections may continue. */
    drainMs: z.number().optional(),
    /** The time when another version replaced it, in epoch milliseconds. */
    since: z.number().optional(),
    /** An image that is not needed elsewhere. Absent: none. */
    image: z.string().optional(),
  }),
  z.object({ kind: z.literal('release'), directory: z.string() }),
  /** A live version that does not have its stable name yet: after a move, the other runner's container on this Docker still has it. */
  z.object({
    kind: z.literal('name'),
    containerId: z.string(),
    serviceId: z.string(),
    deploymentId: z.string(),
  }),
  /** An image too old for a rollback. */
  z.object({ kind: z.literal('image'), tag: z.string() }),
  /** A failed attempt that could not remove everything because Docker was unavailable. */
  z.object({
    kind: z.literal('attempt'),
    serviceId: z.string(),
    deploymentId: z.string(),
    epoch: z.number().int(),
  }),
]);

export type Retirement = z.infer<typeof retirementSchema>;

export const retireChore = 'retire';

/** The containers that pending chores will remove after their connections have ended. */
export function retiredContainers(chores: { pending(kind: string): unknown[] }): ReadonlySet<string> {
  const retirements = chores.pending(retireChore).map((payload) => retirementSchema.safeParse(payload).data);
  return new Set(retirements.flatMap((one) => (one?.kind === 'container' ? [one.containerId] : [])));
}

/** A request that was just routed to the old release opens its file within this time; an open file survives its removal. */
const settleMs = 1_000;

export interface RetireParts {
  docker: DockerHost;
  traffic: Traffic;
  dataDirectory: string;
  names?: Pick<LiveNames, 'sync'>;
}

/**
 * Drains, stops and removes an old version; removes the objects of a failed attempt.
 * @throws DockerError: retry later; the signal's reason
 */
export async function retire(parts: RetireParts, retirement: Retirement, signal: AbortSignal): Promise<void> {
  if (retirement.kind === 'release') {
    await delay(settleMs, undefined, { signal });
    await rm(retirement.directory, { recursive: true, force: true });
    return;
  }
  if (retirement.kind === 'image') return await removeImage(parts.docker, retirement.tag);
  if (retirement.kind === 'name') return await takeName(parts, retirement);
  if (retirement.kind === 'attempt') {
    await removeAttempt(parts, retirement);
    if (await hasVolumes(parts.docker, retirement.serviceId)) await startLive(parts, retirement.serviceId);
    return;
  }
  await drain(parts, retirement, signal);
  await unlessAborted(stopContainer(parts.docker, retirement.containerId), signal);
  await removeContainer(parts.docker, retirement.containerId);
  if (retirement.image) await removeImage(parts.docker, retirement.image);
  await parts.names?.sync();
}

/** Does not wait when the runner itself ends: a program may have minutes to end, and the next start stops its container again. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}

/** True for a service with volumes. The attempt has stopped its live version, and could not restart it earlier. Databases have a job for this. */
async function hasVolumes(docker: DockerHost, serviceId: string): Promise<boolean> {
  const containers = await listServiceContainers(docker, serviceId);
  return containers.some(({ hasDataVolume, labels: of }) => hasDataVolume && !of[labels.port]);
}

/** Gives a live container its stable name. @throws NotYet while another runner's container has it; DockerError */
async function takeName(
  { docker, traffic }: { docker: DockerHost; traffic: Traffic },
  { containerId, serviceId, deploymentId }: Extract<Retirement, { kind: 'name' }>,
): Promise<void> {
  const route = traffic.current(serviceId);
  if (route && route.deploymentId !== deploymentId) return;
  const own = await listServiceContainers(docker, serviceId);
  const container = own.find(({ id }) => id === containerId);
  if (!container) return;
  const name = liveNameOf(container.labels);
  // A newer version has the name.
  if (own.some((one) => one.name === name)) return;
  await renameContainer(docker, container, name).catch((error: unknown) => {
    throw isConflict(error)
      ? new NotYet(`another runner's container still has the name ${name}`, { cause: error })
      : error;
  });
}
