/** The ends of a deployment that apps and databases share. */
import type { JobResult } from '../../../protocol/job-report.ts';
import { stableContainerName } from '../../../protocol/names.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { Route } from '../../proxy/traffic.ts';
import type { JobContext } from '../job.ts';
import { type Attempt, inPhase } from './attempt.ts';
import { finishDeployment } from './finish-deployment.ts';

/**
 * The phase `finish`, after the commit point.
 * @param before the route that the switch replaced; `undefined` for databases, workers and first deployments
 */
export async function finish(attempt: Attempt, before: Route | undefined): Promise<JobResult> {
  const { parts, spec, context, facts } = attempt;
  facts.containerName = stableContainerName(spec.serviceId);
  await inPhase(attempt, 'finish', () => finishDeployment(parts, spec, before, context.log));
  return { outcome: 'succeeded', facts };
}

/** Schedules the removal of objects that Docker could not remove now, so that the job does not have to wait. */
export function removeLater({ parts, spec, context }: Pick<Attempt, 'parts' | 'spec' | 'context'>): void {
  const { serviceId, deploymentId } = spec;
  parts.retireLater({ kind: 'attempt', serviceId, deploymentId, epoch: context.epoch });
}

/** The recovery found the new version live. */
export function logRecoveredSwitch({ log }: JobContext): void {
  log.line('system', 'The runner was restarted after the switch; finishing the deployment.');
}

/** The recovery found that the new version was not live, and has undone the attempt. */
export const restartedBeforeSwitch = () =>
  new JobFailure('runner_restarted', 'The runner was restarted during the deployment; deploy again.');
