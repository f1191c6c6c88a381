import type { BatchItem } from 'drizzle-orm/batch';
import { ApiError } from '../../domain/errors.ts';
import { openRunsMax } from '../../domain/jobs/run-state.ts';
import { isStaticSite } from '../../domain/services/service-kind.ts';
import { findRun, insertRun, type NewRun, type RunRow } from '../../store/commands/run-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Queues a command on the host of a service.
 * @param also statements for the batch that inserts it
 * @throws ApiError `unsupported` for databases and static sites; `conflict` if nothing is live, or nothing runs that it could run in;
 * `quota_exceeded`
 */
export async function startRun(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'now' | 'newId' | 'initiator'>,
  service: ServiceRow,
  asked: Pick<NewRun, 'command' | 'timeLimitSeconds' | 'container'>,
  also: (run: NewRun) => BatchItem<'sqlite'>[] = () => [],
): Promise<RunRow> {
  assertRunsCommands(service);
  if (service.lastDeployedAt === null)
    throw new ApiError(
      'conflict',
      `The service has no image to run the command in: deploy it first, with POST /api/services/${service.id}/deployments.`,
    );
  if (asked.container === 'live' && service.stopped)
    throw new ApiError(
      'conflict',
      `The service is stopped, so no container runs in which the command could run: start it with POST /api/services/${service.id}/start, or set "container" to "new".`,
    );
  const id = deps.newId('run');
  const run = {
    ...{ id, serviceId: service.id, jobId: deps.newId('job') },
    ...{ startedBy: deps.initiator, createdAt: deps.now(), ...asked },
  };
  const runnerId = await insertRun(deps.db, run, also(run));
  if (runnerId === undefined) throw tooMany(service);
  await deps.hubs.wake(runnerId);
  const open = { exitCode: null, error: null, startedAt: null, finishedAt: null, scheduleId: null };
  return { ...run, ...open, status: 'queued' };
}

/** @throws ApiError `unsupported` */
export function assertRunsCommands(service: ServiceRow): void {
  if (service.kind === 'database')
    throw new ApiError(
      'unsupported',
      'A database runs no commands: send statements to POST …/database/query.',
    );
  if (isStaticSite(service))
    throw new ApiError('unsupported', 'A static site has no container in which a command could run.');
}

const tooMany = ({ id }: ServiceRow) =>
  new ApiError(
    'quota_exceeded',
    `The service has ${openRunsMax} commands that have not ended, or its host was revoked: wait for one (GET /api/services/${id}/runs), or abort one.`,
  );

/** The run that an earlier attempt queued with this id. */
export const findQueuedRun = (deps: Pick<Dependencies, 'db'>, id: string) => findRun(deps.db, id);
