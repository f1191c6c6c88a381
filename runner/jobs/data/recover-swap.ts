import type { EngineName } from '../../../protocol/database.ts';
import type { RestoreNames } from '../../engines/archive/archive.ts';
import { engines } from '../../engines/index.ts';
import type { JobContext } from '../job.ts';
import { type DataJobParts, dataAttempt } from './data-attempt.ts';
import { recoverVolumeSwap } from './volume/load-volume.ts';

/**
 * Finishes or undoes an interrupted swap. When volumes are swapped, the database may be down until then.
 * @returns whether the loaded data is live; if not, nothing of it is left
 * @throws JobFailure `database_down`; EngineError, DockerError: try again
 */
export async function recoverSwap(
  parts: DataJobParts,
  of: { serviceId: string; engine: EngineName },
  names: RestoreNames,
  context: JobContext,
): Promise<'swapped' | 'untouched'> {
  const engine = engines[of.engine];
  if (engine.restore === 'volume')
    return await recoverVolumeSwap({ docker: parts.docker, serviceId: of.serviceId, engine }, names);
  const { place } = await dataAttempt(parts, of, context);
  const { archive } = await engine.data();
  return await archive.recover(place, names);
}
