/** Explains problems: finds the deployments, crashes and commands that can be explained, and their last lines. */
import type { CommandContainer } from '../../../protocol/job-spec.ts';
import type { ServiceTrouble } from '../../../protocol/service-trouble.ts';
import { ApiError } from '../../domain/errors.ts';
import type { RunState } from '../../domain/jobs/run-state.ts';
import { isExplainable } from '../../domain/services/service-trouble.ts';
import {
  type Commands,
  type ExplainedProblem,
  type ExplainNeeds,
  explainProblem,
  type Problem,
  type RequestedModel,
} from './explain-problem.ts';

/** Characters at the end of a log that rules search; no tool prints more about an error. */
const tailChars = 64 * 1024;

type Owned = Pick<Problem, 'service' | 'project'>;
type FailedJob = Pick<Problem, 'failureCode' | 'failureMessage' | 'phase'>;

export interface FailedDeployment extends Owned {
  deployment: { id: string; status: string };
  job: FailedJob;
}

/**
 * Explains why a deployment failed.
 * @param commands tool of the suggested commands, and the origin of the API
 * @throws ApiError `conflict` for a deployment that has not failed; as explainProblem
 */
export function explainDeployment(
  deps: ExplainNeeds,
  { deployment, job, service, project }: FailedDeployment,
  requested: RequestedModel,
  commands: Commands,
): Promise<ExplainedProblem> {
  refuseUnlessFailed(deployment);
  const problem: Problem = {
    what: { kind: 'deployment', id: deployment.id },
    ...problemOf(job),
    ...{ service, project },
    readTail: () => deps.logs.readTail(deployment.id, tailChars),
  };
  return explainProblem(deps, problem, requested, commands);
}

export interface FailedRun extends Owned {
  run: { id: string; status: RunState; command: string; container: CommandContainer; error: string | null };
  job: FailedJob;
}

/**
 * Explains why a command failed, started by a client or a schedule.
 * @throws ApiError `conflict` for a command that has not failed; as explainProblem
 */
export async function explainRun(
  deps: ExplainNeeds,
  { run, job, service, project }: FailedRun,
  requested: RequestedModel,
  commands: Commands,
): Promise<ExplainedProblem> {
  if (run.status !== 'failed') throw nothingToExplain(`the command ${reasonsOfRuns[run.status]}`);
  const problem: Problem = {
    what: { kind: 'run', id: run.id, command: run.command, container: run.container },
    ...problemOf(job),
    failureMessage: job.failureMessage ?? run.error,
    ...{ service, project },
    readTail: () => deps.logs.readTail(run.id, tailChars),
  };
  return explainProblem(deps, problem, requested, commands);
}

const reasonsOfRuns = {
  queued: 'waits for its host',
  running: 'is still in progress',
  succeeded: 'succeeded',
  aborted: 'was aborted',
};

export interface CrashedService extends Owned {
  service: Problem['service'] & { trouble: ServiceTrouble | null };
}

/**
 * Explains the problem of the live version: why it crashed, was stopped by its host, or fails the HEALTHCHECK of its image.
 * @throws ApiError `conflict` if it has no problem; as explainProblem
 */
export async function explainCrash(
  deps: ExplainNeeds,
  { service, project }: CrashedService,
  requested: RequestedModel,
  commands: Commands,
): Promise<ExplainedProblem> {
  const { trouble } = service;
  if (!trouble || !isExplainable(trouble))
    throw nothingToExplain('the live version has not ended by itself within the last hour');
  const problem: Problem = {
    what: { kind: 'crash' },
    ...{ failureCode: 'health_failed', failureMessage: trouble.sentence, phase: null },
    ...{ service, project },
    readTail: () => Promise.resolve(trouble.lastLines.map((line) => ({ stream: 'stdout' as const, line }))),
  };
  return explainProblem(deps, problem, requested, commands);
}

const problemOf = ({ failureCode, failureMessage, phase }: FailedJob) => ({
  ...{ failureCode, failureMessage, phase },
});

function refuseUnlessFailed({ status }: { status: string }): void {
  if (status === 'failed') return;
  const reasons: Record<string, string> = {
    queued: 'is waiting for its host',
    building: 'is still in progress',
    running: 'succeeded and is live',
    superseded: 'succeeded and was replaced by a later one',
    aborted: 'was aborted',
  };
  throw nothingToExplain(`the deployment ${reasons[status]}`);
}

const nothingToExplain = (reason: string) =>
  new ApiError('conflict', `There is no failure to explain: ${reason}.`);
