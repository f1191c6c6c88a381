import type { EngineName } from '../../../protocol/database.ts';
import { crashPoint } from '../../base/crash-point.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { LoadedData, RestoreNames } from '../../engines/archive/archive.ts';
import { engines } from '../../engines/index.ts';
import type { JobContext } from '../job.ts';
import { type DataAttempt, type DataJobParts, dataAttempt } from './data-attempt.ts';
import { finishSwap, type Swap } from './finish-swap.ts';
import { recoverVolumeSwap } from './volume/load-volume.ts';

/**
 * The commit point of a restore or an import: asks for permission, then replaces the live data with the loaded data.
 * @throws JobFailure `switch_denied`, and the errors of `finishSwap`; the signal's reason
 */
export async function swapData(
  { context, enter }: Pick<DataAttempt, 'context' | 'enter'>,
  loaded: Pick<LoadedData, 'swap'>,
  end: Swap['end'],
): Promise<void> {
  if (!(await context.requestSwitch())) {
    context.signal.throwIfAborted();
    throw new JobFailure(
      'switch_denied',
      'The control plane gave no permission for the swap of the data; nothing was changed.',
    );
  }
  enter('switch');
  crashPoint('switch:permitted');
  await finishSwap({ swap: () => loaded.swap(), end, say: (line) => context.log.line('system', line) });
  crashPoint('switch:moved');
}

/**
 * Finishes or undoes an interrupted swap. When volumes are swapped, the database may be down until then.
 * @returns true if the loaded data is live; otherwise it is removed
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
