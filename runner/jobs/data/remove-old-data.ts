import { z } from 'zod';
import { engineNames } from '../../../protocol/database.ts';
import { type Clock, pause } from '../../base/clock.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { listServiceContainers } from '../../docker/containers.ts';
import { engines } from '../../engines/index.ts';
import { type DataJobParts, findLive } from './data-attempt.ts';
import { removeKeptVersion } from './volume/kept-version.ts';
import { removeOldVolume } from './volume/load-volume.ts';

export const oldDataSchema = z.object({
  serviceId: z.string(),
  engine: z.enum(engineNames),
  suffix: z.string(),
  volume: z.string().optional(),
  isUndone: z.boolean().optional(),
  isLoaded: z.boolean().optional(),
  /** Epoch milliseconds. */
  dueAt: z.number(),
});

/** Waits until the data is due and removes it. If the database no longer runs, there is nothing left to remove. */
export async function removeOldData(
  { docker, clock }: Pick<DataJobParts, 'docker'> & { clock: Clock },
  {
    serviceId,
    engine: engineName,
    suffix,
    volume,
    isUndone = false,
    isLoaded = false,
    dueAt,
  }: z.infer<typeof oldDataSchema>,
  signal: AbortSignal,
): Promise<void> {
  await pause(clock, Math.max(0, dueAt - clock.now()), signal);
  signal.throwIfAborted();
  if (volume !== undefined)
    return await removeKeptVersion({ docker, serviceId }, { suffix, volume, isUndone });
  const engine = engines[engineName];
  if (engine.restore === 'volume') return await removeOldVolume({ docker, serviceId }, { suffix });
  try {
    const place = { ...(await findLive({ docker }, serviceId)), signal, progress: () => {} };
    const { archive } = await engine.data();
    await archive[isLoaded ? 'discard' : 'removeOld'](place, { suffix });
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
    // A server that is down because its disk is full will run again.
    if (isLoaded && (await listServiceContainers(docker, serviceId)).length > 0) throw error;
  }
}
