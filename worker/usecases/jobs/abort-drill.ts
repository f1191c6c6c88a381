import { ApiError } from '../../domain/errors.ts';
import { findOpenDrill } from '../../store/backups/drill-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { abortDataJob } from './abort-data-job.ts';

/** Asks the host to end the drill of a backup. @throws ApiError `cannot_abort` if none is in progress */
export async function abortDrill(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'now'>,
  backupId: string,
): Promise<void> {
  const drill = await findOpenDrill(deps.db, backupId);
  if (!drill) throw new ApiError('cannot_abort', 'No drill of this backup is in progress.');
  await abortDataJob(deps, drill);
}
