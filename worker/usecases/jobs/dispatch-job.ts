/** Builds the start frame of a claimed job. */
import { type HubFrameOf, protocolVersion } from '../../../protocol/frames.ts';
import { UndispatchableError } from '../../domain/deployments/deploy-spec.ts';
import type { HostSetting } from '../../gateways/object-calls.ts';
import { sealBox } from '../../security/sealed-box.ts';
import type { JobRow } from '../../store/jobs/job-store.ts';
import { isStoreFailure } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import { commandStarter } from './command-start.ts';
import { dataJobStarter } from './data-job-start.ts';
import { deploymentStarter } from './deployment-start.ts';
import type { JobStart, Starter, StartRows } from './job-start.ts';
import { endJobOfMove } from './settle-moves.ts';

/** Longest time that an attempt may take from its claim. The runner gets it too, and enforces it first. */
export const jobDeadlinesMs = { deploy: 30 * 60_000, data: 6 * 3_600_000 };

/** Limit for transfers of the service during dispatch, each of which starts the dispatch again. */
const transferRoundsMax = 3;

/**
 * Creates the `start` frame of an active job.
 * @returns the frame, and the settings that the host may lack; undefined if there is nothing to start: the job has ended, or its spec can't be built
 * and it was ended with the reason
 * @throws errors of the store: the job stays active and is dispatched later
 */
export async function dispatchJob(
  deps: Dependencies,
  { id, kind }: Pick<JobRow, 'id' | 'kind'>,
): Promise<{ frame: HubFrameOf<'start'>; settings: HostSetting[] } | undefined> {
  const starter = starterOf(kind);
  for (let round = 1; ; round++) {
    const rows = await starter.find(deps.db, id);
    if (!rows) return undefined;
    try {
      const { settings = [], ...start } = await starter.prepare(deps, rows);
      return { frame: await sealed(deps, rows, start), settings };
    } catch (error) {
      if (isStoreFailure(error)) throw error;
      // After a transfer, its secrets are sealed with its new project's key.
      const isTransferred = (await starter.find(deps.db, id))?.project.id !== rows.project.id;
      if (isTransferred && round < transferRoundsMax) continue;
      console.error(`${id} can't be dispatched`, error);
      const failure =
        error instanceof UndispatchableError
          ? { code: error.code, message: error.message }
          : { code: 'internal' as const, message: starter.unprepared };
      await endJobOfMove(deps, rows.job, 'undispatchable', failure);
      return undefined;
    }
  }
}

function starterOf(kind: JobRow['kind']): Starter<StartRows> {
  if (kind === 'deploy') return deploymentStarter;
  return kind === 'run' ? commandStarter : dataJobStarter;
}

async function sealed(
  deps: Pick<Dependencies, 'now'>,
  { job, sealingKey }: StartRows,
  { spec, secrets }: JobStart,
): Promise<HubFrameOf<'start'>> {
  const deadlineMs = jobDeadlinesMs[job.kind === 'deploy' ? 'deploy' : 'data'];
  const place = { runnerId: job.runnerId, job: job.id, epoch: job.epoch };
  return {
    v: protocolVersion,
    type: 'start',
    job: job.id,
    epoch: job.epoch,
    deadlineMs: job.deadlineAt === null ? deadlineMs : job.deadlineAt - deps.now(),
    spec,
    sealed: await sealBox(sealingKey, place, JSON.stringify(secrets)),
  };
}
