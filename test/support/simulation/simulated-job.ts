/** The deploy job of a simulated host: the steps, journal entries and crash points of runner/jobs/deploy.ts, with files instead of containers. */
import { setTimeout as pause } from 'node:timers/promises';
import type { DeployPhase, JobResult } from '../../../protocol/job-report.ts';
import type { DeploySecrets, DeploySpec } from '../../../protocol/job-spec.ts';
import { allVariables } from '../../../protocol/variable-scope.ts';
import { crashPoint } from '../../../runner/base/crash-point.ts';
import { JobFailure } from '../../../runner/base/job-failure.ts';
import type { Job, JobContext } from '../../../runner/jobs/job.ts';
import { type Random, randomOf } from './random.ts';
import type { SimulatedHost } from './simulated-host.ts';

export interface SimulatedJobParts {
  host: SimulatedHost;
  /** A deployment's behaviour depends only on its seed and its id. */
  seed: number;
  retireLater(deploymentId: string): void;
  /** Longest pause in a phase. */
  phaseMs: number;
  /** Whether deployments never fail by themselves. */
  alwaysSucceeds: boolean;
  /** The output of each build; null: some random lines. */
  buildLog: readonly string[] | null;
}

/** The behaviour of a deployment itself; other faults come from outside. */
function scriptOf({ seed, alwaysSucceeds }: SimulatedJobParts, deploymentId: string) {
  const random = randomOf(`${seed} ${deploymentId}`);
  const kind = alwaysSucceeds ? 1 : random.next();
  return { random, lines: random.below(120), fails: kind < 0.1, sick: kind >= 0.1 && kind < 0.2 };
}

export function simulatedJob(parts: SimulatedJobParts): Job<DeploySpec> {
  return {
    run: (spec, secrets, context) => run(parts, spec, secrets, context),
    recover: (spec, __, context) => recover(parts, spec, context),
  };
}

async function run(
  parts: SimulatedJobParts,
  spec: DeploySpec,
  secrets: DeploySecrets,
  context: JobContext,
): Promise<JobResult> {
  const { host } = parts;
  const { serviceId, deploymentId } = spec;
  const script = scriptOf(parts, deploymentId);
  if (host.routes().get(serviceId) === deploymentId) return finish(parts, spec, context);
  host.removeContainer(deploymentId);
  const phase = (name: DeployPhase, work: () => void) => inPhase(parts, context, script.random, name, work);
  try {
    await phase('clone', () => {});
    await phase('build', () => {
      const lines = parts.buildLog ?? Array.from({ length: script.lines }, (_, line) => `line ${line + 1}`);
      for (const line of lines) context.log.line('stdout', line);
      requireVariable(host, secrets, context);
      if (script.fails) throw new JobFailure('build_failed', 'The build failed, as its script says.');
    });
    await phase('start', () => {
      host.addContainer(deploymentId, serviceId);
      crashPoint('start:created');
    });
    await phase('health', () => {
      if (script.sick) throw new JobFailure('health_failed', 'It never answered, as its script says.');
    });
    await phase('switch', () => {});
    if (!(await context.requestSwitch())) {
      context.signal.throwIfAborted();
      throw new JobFailure('switch_denied', 'No permission.');
    }
    crashPoint('switch:permitted');
    host.switchTo(serviceId, deploymentId);
    crashPoint('switch:moved');
    context.checkpoint({ switched: true });
  } catch (error) {
    host.removeContainer(deploymentId);
    throw error;
  }
  return finish(parts, spec, context);
}

/** Like a build that checks its environment. */
function requireVariable(host: SimulatedHost, secrets: DeploySecrets, context: JobContext): void {
  const key = host.requiredVariable();
  if (key === undefined || key in allVariables(secrets)) return;
  context.log.line('stderr', `Error: the environment variable ${key} is not set`);
  context.log.line('stderr', '    at checkEnvironment (/app/build.js:3:9)');
  throw new JobFailure('build_failed', 'The build step "npm run build" failed with exit code 1.');
}

/** The commit that a deployment reports after the fetch. */
function commitOf(host: SimulatedHost, phase: DeployPhase) {
  const message = phase === 'build' ? host.commitMessage() : undefined;
  return message === undefined
    ? {}
    : { commitSha: '0'.repeat(40), commitMessage: message, commitAuthor: message };
}

async function inPhase(
  { host, phaseMs, buildLog }: SimulatedJobParts,
  context: JobContext,
  random: Random,
  name: DeployPhase,
  work: () => void,
): Promise<void> {
  context.signal.throwIfAborted();
  context.enter(name, commitOf(host, name));
  crashPoint(`${name}:begun`);
  work();
  const { signal } = context;
  await pause(random.below(phaseMs), undefined, { signal }).catch(() => {});
  while (host.isHeld(name) && !signal.aborted) await pause(5);
  context.signal.throwIfAborted();
  if (buildLog) context.log.line('system', `${name}: done in ${(phaseMs / 1000).toFixed(1)} s`);
  crashPoint(`${name}:done`);
}

async function finish(parts: SimulatedJobParts, spec: DeploySpec, context: JobContext): Promise<JobResult> {
  context.enter('finish', {});
  crashPoint('finish:begun');
  while (parts.host.isHeld('finish')) await pause(5);
  for (const [deployment, service] of parts.host.containers()) {
    if (service === spec.serviceId && deployment !== spec.deploymentId) parts.retireLater(deployment);
  }
  crashPoint('finish:done');
  return { outcome: 'succeeded', facts: { containerName: `longshore-${spec.serviceId}-stable` } };
}

async function recover(parts: SimulatedJobParts, spec: DeploySpec, context: JobContext): Promise<JobResult> {
  if (parts.host.routes().get(spec.serviceId) === spec.deploymentId) return finish(parts, spec, context);
  parts.host.removeContainer(spec.deploymentId);
  throw new JobFailure('runner_restarted', 'The runner was restarted; deploy again.');
}
