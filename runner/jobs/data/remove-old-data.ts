import { z } from 'zod';
import { engineNames } from '../../../protocol/database.ts';
import { type Clock, pause } from '../../base/clock.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { archives } from '../../engines/archive/index.ts';
import { type DataJobParts, findLive } from './data-attempt.ts';
import { hasVolumeSwitch, removeOldVolume } from './volume/volume-switch.ts';

export const oldDataSchema = z.object({
  serviceId: z.string(),
  engine: z.enum(engineNames),
  suffix: z.string(),
  /** Epoch milliseconds. */
  dueAt: z.number(),
});

/** Waits for its time, then removes it; of a database that runs no more nothing is left to remove. */
export async function removeOldData(
  { docker, clock }: Pick<DataJobParts, 'docker'> & { clock: Clock },
  { serviceId, engine, suffix, dueAt }: z.infer<typeof oldDataSchema>,
  signal: AbortSignal,
): Promise<void> {
  await pause(clock, Math.max(0, dueAt - clock.now()), signal);
  signal.throwIfAborted();
  if (hasVolumeSwitch({ engine })) return await removeOldVolume({ docker, serviceId }, { suffix });
  try {
    const place = { ...(await findLive({ docker }, serviceId)), signal, progress: () => {} };
    await archives[engine]?.removeOld(place, { suffix });
  } catch (error) {
    if (!(error instanceof JobFailure)) throw error;
  }
}
