import type { JobEvent as ReportedEvent } from '../../../protocol/job-report.ts';
import { logEndOf } from '../../domain/deployment-end.ts';
import { statusOfEndedJob } from '../../domain/deployment-state.ts';
import { transition } from '../../domain/job-state.ts';
import { endDataJob, writeDataProgress } from '../../store/data-job-store.ts';
import { endJob } from '../../store/job-end-store.ts';
import { type FoundJob, findJob, hasDeployment, writeProgress } from '../../store/job-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { endLog } from '../deployments/end-log.ts';
import { removeUploadOfJob } from '../imports/remove-uploads.ts';
import { rowRaceRounds } from './end-job.ts';

export interface RunnerReport {
  runnerId: string;
  job: string;
  epoch: number;
  /** Globally unique; a repeated report has the same id. */
  id: string;
  event: ReportedEvent;
}

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'logs' | 'blobs' | 'newId' | 'now'>;

/**
 * Applies what a runner reports about a job. Safe for repeated and late reports, and for rows that are gone.
 * The report may be acknowledged once this returns: it is written, or `final`, so that it can't change anything any more.
 * @throws whatever the store throws: the report must not be acknowledged then, and the runner sends it again
 */
export async function applyRunnerReport(deps: Needs, report: RunnerReport): Promise<'written' | 'final'> {
  for (let round = 0; round < rowRaceRounds; round++) {
    const found = await findJob(deps.db, report.job);
    if (!found || found.job.runnerId !== report.runnerId) return 'final';
    const applied = await applyTo(deps, found, report);
    if (applied !== 'changed meanwhile') return applied;
  }
  throw new Error(`The row of ${report.job} keeps changing, so the report ${report.id} was not written.`);
}

async function applyTo(
  deps: Needs,
  found: FoundJob,
  { id, epoch, event }: RunnerReport,
): Promise<'written' | 'final' | 'changed meanwhile'> {
  const at = deps.now();
  if (event.type === 'phase') {
    const to = transition(found.job, { type: 'phase-reported', epoch, phase: event.phase });
    if (!to) return 'final';
    const progress = { to, facts: event.facts, at };
    const written = hasDeployment(found)
      ? await writeProgress(deps.db, found, progress)
      : await writeDataProgress(deps.db, found.job, progress);
    return written ? 'written' : 'changed meanwhile';
  }
  const { result } = event;
  const to = transition(found.job, { type: 'result-reported', epoch, outcome: result.outcome });
  if (!to) return 'final';
  const failure = result.outcome === 'failed' ? { code: result.code, message: result.message } : null;
  const end = { state: result.outcome, at, facts: result.facts, resultId: id, failure };
  if (!hasDeployment(found)) {
    const hosts = await endDataJob(deps.db, found.job, end);
    if (!hosts) return 'changed meanwhile';
    await Promise.all(hosts.map((runnerId) => deps.hubs.wake(runnerId)));
    await removeUploadOfJob(deps, found.job);
    if (found.runId) await endLog(deps, found.runId, { ok: result.outcome === 'succeeded' });
    return 'written';
  }
  const moveTaskId = result.outcome === 'succeeded' ? deps.newId('hostTask') : null;
  const hosts = await endJob(deps.db, found, { ...end, moveTaskId });
  if (!hosts) return 'changed meanwhile';
  await Promise.all(hosts.map((runnerId) => deps.hubs.wake(runnerId)));
  // The runner's own lines say how it ended, so no line is added.
  const ended = { status: statusOfEndedJob[result.outcome], finishedAt: at };
  const reason = {
    failureCode: failure?.code ?? null,
    failureMessage: failure?.message ?? null,
    resultId: id,
  };
  const logEnd = logEndOf(ended, reason);
  if (logEnd) await endLog(deps, found.deploymentId, logEnd);
  return 'written';
}
