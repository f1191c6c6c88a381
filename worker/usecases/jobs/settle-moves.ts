/**
 * Ends moves of services with volumes. When the image is prepared, the other jobs are queued (begin-transfer). Each job of a move is refused at
 * dispatch unless the earlier ones have succeeded, so only cleaning up remains: after a failure, the service starts again on its old host; after a
 * success, the old data is removed three days later. Everything is read from rows, so this may run late, repeatedly and at any time.
 */
import type { FailureCode } from '../../../protocol/job-report.ts';
import { platform } from '../../domain/access/initiator.ts';
import { type NewDeployment, requestAbort } from '../../store/deployments/deployment-store.ts';
import { findLiveDeployment } from '../../store/jobs/dispatch-store.ts';
import type { JobRow } from '../../store/jobs/job-store.ts';
import {
  endFailedMove,
  endSucceededMove,
  findRunningMove,
  listRunningMoves,
  readMoveJobs,
  type VolumeMoveRow,
} from '../../store/moves/volume-move-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { endJobByPlatform, type PlatformEnd } from './end-job.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'logs' | 'now' | 'newId'>;

/** How long the old host keeps the data for an undo. */
export const oldDataForMs = 72 * 3_600_000;
/** How long the service may be down while a job of its move waits for a host. */
const awayLimitMs = 10 * 60_000;
const movesPerRun = 100;

/** @returns number of checked moves */
export async function settleMoves(deps: Needs): Promise<number> {
  const moves = await listRunningMoves(deps.db, movesPerRun);
  const outcomes = await Promise.allSettled(moves.map((move) => settle(deps, move)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') console.error('A move could not be settled:', outcome.reason);
  }
  return moves.length;
}

/** Settles the running move of a service, if any, at once. */
export async function settleMoveOf(deps: Needs, serviceId: string): Promise<void> {
  const move = await findRunningMove(deps.db, serviceId);
  if (move) await settle(deps, move);
}

/** Ends a job as `endJobByPlatform` does, and then the move that it belongs to, if any. */
export async function endJobOfMove(
  deps: Needs,
  job: Pick<JobRow, 'id' | 'serviceId'>,
  event: PlatformEnd,
  failure: { code: FailureCode; message: string },
): Promise<void> {
  if (await endJobByPlatform(deps, job.id, event, failure)) await settleMoveOf(deps, job.serviceId);
}

async function settle(deps: Needs, move: VolumeMoveRow): Promise<void> {
  const { db, now, newId } = deps;
  const jobs = await readMoveJobs(db, move);
  const failed = jobs.find(({ state }) => state === 'failed' || state === 'aborted');
  const lost = jobs.find((job) => job.state === 'queued' && isAway(job, now()));
  const taskIds = move.volumeIds.map(() => newId('hostTask'));
  const at = now();
  // The last job was deleted with its deployment, so nothing else would end the move.
  const isIncomplete = jobs.length < move.jobIds.length;
  if (!isIncomplete && jobs.length > 1 && jobs.at(-1)?.state === 'succeeded') {
    await endSucceededMove(db, move, { taskIds, at, until: at + oldDataForMs });
    return;
  }
  if (!failed && !lost && !isIncomplete) return;
  const why = failed?.failureMessage ?? (lost ? 'A host was away for more than 10 min.' : 'It was aborted.');
  const where = move.jobIds.length > 1 ? 'starts again' : 'keeps running';
  const message = `The move to another host ended: ${why} The service ${where} on its old host.`;
  if (await endOpenJobs(deps, jobs, message)) return;
  const restart = await restartOf(deps, move);
  await endFailedMove(db, move, {
    taskIds,
    removalTaskId: newId('hostTask'),
    eventId: newId('event'),
    at,
    restart,
  });
  await Promise.all([move.fromRunnerId, move.toRunnerId].map((runnerId) => deps.hubs.wake(runnerId)));
}

/** @returns whether a host still works on one: its end, or the next sweep, calls this again */
async function endOpenJobs(
  deps: Needs,
  jobs: Awaited<ReturnType<typeof readMoveJobs>>,
  message: string,
): Promise<boolean> {
  const active = jobs.filter(({ state }) => state === 'active');
  for (const { id, state } of jobs) {
    if (state !== 'queued') continue;
    await endJobByPlatform(deps, id, 'queue-timed-out', { code: 'move_failed', message });
  }
  for (const { id, runnerId } of active) {
    if (await requestAbort(deps.db, id, deps.now())) await deps.hubs.abortJob(runnerId, id);
  }
  return active.length > 0;
}

const isAway = (
  { connectedAt, disconnectedAt }: { connectedAt: number | null; disconnectedAt: number | null },
  now: number,
) => connectedAt === null && disconnectedAt !== null && now - disconnectedAt > awayLimitMs;

async function restartOf(
  { db, newId, now }: Needs,
  { serviceId }: VolumeMoveRow,
): Promise<NewDeployment | undefined> {
  const live = await findLiveDeployment(db, serviceId);
  if (!live) return undefined;
  return {
    ...{ id: newId('deployment'), jobId: newId('job'), serviceId, trigger: 'restart' },
    ...{ sourceDeploymentId: live.id, startedBy: platform, createdAt: now() },
  };
}
