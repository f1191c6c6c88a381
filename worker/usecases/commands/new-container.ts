/** A separate container for a shell: a waiting command of the service, with which the container ends. */
import { deploymentContainerName, stableContainerName } from '../../../protocol/names.ts';
import { ApiError } from '../../domain/errors.ts';
import { isOpenRun } from '../../domain/jobs/run-state.ts';
import { shellLifeMs } from '../../domain/services/shell-messages.ts';
import { findRun } from '../../store/commands/run-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { abortDataJob } from '../jobs/abort-data-job.ts';
import { endOrphanedRunLog } from './abort-run.ts';
import { startRun } from './start-run.ts';

/** Exits at once on SIGTERM, which the first process of a container otherwise ignores. */
const waiting = "trap 'exit 0' TERM; while :; do sleep 60 & wait; done # a shell of its own";
/** The longest time that a command may run; a shell ends with its container. */
const lifeSeconds = Math.min(shellLifeMs / 1000, 5 * 3_600);

export const shellContainer = (serviceId: string, runId: string | null) =>
  runId === null ? stableContainerName(serviceId) : deploymentContainerName(serviceId, runId);

/** @returns the id of the command @throws ApiError `unsupported`, `conflict`, `quota_exceeded`, `runner_offline` */
export async function startShellContainer(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'now' | 'newId' | 'initiator'>,
  service: ServiceRow,
): Promise<string> {
  // A command waits for its host, but nobody waits that long for a shell.
  if (!(await deps.hubs.isConnected(service.runnerId)))
    throw new ApiError('runner_offline', 'The host is not connected: try again when its runner is back.');
  const asked = { command: waiting, timeLimitSeconds: lifeSeconds, container: 'new' } as const;
  return (await startRun(deps, service, asked)).id;
}

/** Ends the container of a shell. No effect if repeated. */
export async function endShellContainer(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'logs' | 'now'>,
  runId: string,
): Promise<void> {
  const run = await findRun(deps.db, runId);
  if (!run || !isOpenRun(run.status)) return;
  try {
    await abortDataJob(deps, { jobId: run.jobId, status: 'running' });
    await endOrphanedRunLog(deps, runId);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // the command has just ended
  }
}
