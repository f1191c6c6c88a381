import type { JobEvent as ReportedEvent } from '../../../protocol/job-report.ts';
import { transition } from '../../domain/jobs/job-state.ts';
import { writeDataProgress } from '../../store/jobs/data-job-store.ts';
import { type FoundJob, hasDeployment, writeProgress } from '../../store/jobs/job-store.ts';
import { releaseFolderOf } from '../../store/projects/folder-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { continueUpdate } from '../image-updates/update-images.ts';
import { removeUploadOfJob } from '../imports/remove-uploads.ts';
import { endPreparation } from './begin-transfer.ts';
import { endLogOf, rowRaceRounds, writeEnd } from './end-job.ts';
import { KnownJobs } from './known-jobs.ts';
import { settleMoveOf } from './settle-moves.ts';

export interface RunnerReport {
  runnerId: string;
  job: string;
  epoch: number;
  /** Globally unique; a repeated report has the same id. */
  id: string;
  event: ReportedEvent;
}

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'logs' | 'runtimeLogs' | 'blobs' | 'newId' | 'now'>;

/**
 * Applies what a runner reports about a job. Safe for repeated and late reports, and for rows that no longer exist. The
 * report may be acknowledged after this returns: it is written, or `final`, so that it can't change anything any more.
 * @param known rows that were read before: with the job's row, a report needs a single round trip
 * @throws errors of the store: the report must not be acknowledged then, and the runner sends it again
 */
export async function applyRunnerReport(
  deps: Needs,
  report: RunnerReport,
  known = new KnownJobs(),
): Promise<'written' | 'final'> {
  const recalled = known.recall(report.job);
  if (recalled && (await applyTo(deps, recalled, report, known)) === 'written') return 'written';
  for (let round = 0; round < rowRaceRounds; round++) {
    const found = await known.read(deps.db, report.job);
    const applied = found ? await applyTo(deps, found, report, known) : 'final';
    if (applied !== 'changed meanwhile') return applied;
  }
  throw new Error(`The row of ${report.job} keeps changing, so the report ${report.id} was not written.`);
}

async function applyTo(
  deps: Needs,
  found: FoundJob,
  { runnerId, id, epoch, event }: RunnerReport,
  known: KnownJobs,
): Promise<'written' | 'final' | 'changed meanwhile'> {
  if (found.job.runnerId !== runnerId) return 'final';
  const at = deps.now();
  if (event.type === 'phase') {
    const to = transition(found.job, { type: 'phase-reported', epoch, phase: event.phase });
    if (!to) return 'final';
    const progress = { to, facts: event.facts, at };
    const written = hasDeployment(found)
      ? await writeProgress(deps.db, found, progress)
      : await writeDataProgress(deps.db, found.job, progress);
    if (!written) return 'changed meanwhile';
    known.remember({ ...found, job: { ...found.job, phase: to.phase } });
    return 'written';
  }
  known.forget(found.job.id);
  const { result } = event;
  const to = transition(found.job, { type: 'result-reported', epoch, outcome: result.outcome });
  if (!to) return 'final';
  const failure = result.outcome === 'failed' ? { code: result.code, message: result.message } : null;
  const succeeded = result.outcome === 'succeeded';
  if (found.isPreparation && succeeded && hasDeployment(found)) {
    const oldHost = await endPreparation(deps, found, { facts: result.facts, resultId: id, at });
    if (oldHost === undefined) return 'changed meanwhile';
    await deps.hubs.wake(oldHost);
    return 'written';
  }
  if (failure?.code === 'source_damaged' && hasDeployment(found))
    await releaseFolderOf(deps.db, found.deploymentId);
  const moveTaskId = succeeded && hasDeployment(found) ? deps.newId('hostTask') : null;
  const end = { state: result.outcome, at, facts: result.facts, resultId: id, failure, moveTaskId };
  const hosts = await writeEnd(deps.db, found, end);
  if (!hosts) return 'changed meanwhile';
  // A service that has left its host creates a task for that host.
  const hasMoved = hasDeployment(found) && hosts.some((other) => other !== found.job.runnerId);
  // Runs before the hosts are woken up, so that jobs that wait behind the move go to the service's host.
  if (hasMoved || !succeeded) await settleMoveOf(deps, found.job.serviceId);
  // A failed version has left changed files behind, so its update goes on before other work.
  if (!(hasDeployment(found) && succeeded) && found.job.kind !== 'run')
    await continueUpdate(deps, found.job.serviceId);
  await Promise.all(hosts.map((other) => deps.hubs.wake(other)));
  if (hasMoved) await deps.runtimeLogs.moveTo(found.job.serviceId, found.job.runnerId);
  await removeUploadOfJob(deps, found.job);
  await endLogOf(deps, found, end);
  return 'written';
}
