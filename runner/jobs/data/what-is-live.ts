import type { EngineName } from '../../../protocol/database.ts';
import type { RestoreNames } from '../../engines/archive/archive.ts';
import type { JobContext } from '../job.ts';
import { type DataJobParts, dataAttempt } from './data-attempt.ts';
import { hasVolumeSwitch, recoverSwitch } from './volume/volume-switch.ts';

/**
 * Ends an exchange that broke off. Where volumes are exchanged, the database may be down until then.
 * @returns whether what was loaded is live; if not, nothing of it is left
 * @throws JobFailure `database_down`; EngineError, DockerError: to be asked again
 */
export async function whatIsLive(
  parts: DataJobParts,
  of: { serviceId: string; engine: EngineName },
  names: RestoreNames,
  context: JobContext,
): Promise<'swapped' | 'untouched'> {
  if (hasVolumeSwitch(of)) return await recoverSwitch({ docker: parts.docker, ...of }, names);
  const { archive, place } = await dataAttempt(parts, of, context);
  return await archive.recover(place, names);
}
