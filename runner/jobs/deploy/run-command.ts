/** Runs a user's command once: in a new container of the service's live image, beside the live version, or in the live container. */
import type { JobResult } from '../../../protocol/job-report.ts';
import type { DeploySecrets, RunSpec } from '../../../protocol/job-spec.ts';
import { deploymentContainerName, imageTag, labels } from '../../../protocol/names.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { deploymentLabels, diskLimitLabel } from '../../docker/client.ts';
import {
  createContainer,
  inspectContainer,
  listContainers,
  removeContainer,
  startContainer,
  stopContainer,
} from '../../docker/containers.ts';
import { endOf } from '../../docker/events.ts';
import { readLog } from '../../docker/follow-log.ts';
import { ensureProjectNetwork, withFreeAddress } from '../../docker/networks/networks.ts';
import { secretKeysLabel } from '../../docker/secret-keys.ts';
import type { Job, JobContext } from '../job.ts';
import type { DeployParts } from '../parts/attempt.ts';
import { readOnlyFilesOf, writeFiles } from '../parts/mounted-files.ts';
import { startFailure } from '../parts/start-failure.ts';
import { timeIsOver, timeLimitOf } from './command-time-limit.ts';
import { endInLive, runInLive } from './run-in-live.ts';
import { serviceEnvironment } from './start-candidate.ts';

type Parts = Pick<DeployParts, 'docker' | 'networkRange' | 'traffic'>;

export function createRunJob(parts: Parts): Job<RunSpec> {
  return {
    run: (spec, secrets, context) => run(parts, spec, secrets, context),
    recover: (spec) => recover(parts, spec),
  };
}

/** @throws JobFailure `image_gone`, `start_failed`, `deadline` or `run_failed`, with the exit code in the facts */
async function run(
  parts: Parts,
  spec: RunSpec,
  secrets: DeploySecrets,
  context: JobContext,
): Promise<JobResult> {
  context.enter('run', {});
  if (spec.runsIn === 'live') return await runInLive(parts, spec, context);
  await removeContainers(parts, spec);
  try {
    const id = await start(parts, spec, secrets, context);
    const timeLimit = timeLimitOf(spec);
    await followToEnd(parts, id, context, timeLimit);
    if (timeLimit.aborted) throw timeIsOver(spec);
    return await resultOf(parts, id, spec);
  } finally {
    await removeContainers(parts, spec);
  }
}

async function start(
  { docker, networkRange }: Parts,
  spec: RunSpec,
  secrets: DeploySecrets,
  context: JobContext,
): Promise<string> {
  const network = await ensureProjectNetwork(docker, spec.projectId, networkRange, context.signal);
  return await withFreeAddress(docker, network, async (address) => {
    const id = await createContainer(docker, {
      name: deploymentContainerName(spec.serviceId, spec.runId),
      image: imageTag(spec.serviceId, spec.deploymentId),
      networkId: network.id,
      address,
      env: serviceEnvironment(spec, spec.commitSha, secrets),
      labels: {
        ...deploymentLabels(docker, { ...spec, deploymentId: spec.runId, epoch: context.epoch }, 'build'),
        ...secretKeysLabel(secrets, spec.container),
        ...diskLimitLabel(spec.limits),
      },
      memoryLimitMb: spec.memoryLimitMb,
      cpuLimit: spec.cpuLimit,
      limits: spec.limits,
      settings: spec.container,
      ...readOnlyFilesOf(secrets),
      once: spec.command,
    });
    await writeFiles(docker, id, secrets);
    context.signal.throwIfAborted();
    await startContainer(docker, id);
    return id;
  }).catch((error: unknown) => {
    context.signal.throwIfAborted();
    throw startFailure(error);
  });
}

/** Returns when the command has ended; stops it when its time is over or the job is stopped. */
async function followToEnd(
  { docker }: Parts,
  id: string,
  { log, signal }: JobContext,
  timeLimit: AbortSignal,
): Promise<void> {
  const either = AbortSignal.any([signal, timeLimit]);
  for await (const lines of readLog(docker, id, { since: 0, follow: true }, either)) {
    for (const { stream, text } of lines) log.line(stream, text);
  }
  if (!either.aborted) return;
  await stopContainer(docker, id);
  signal.throwIfAborted();
}

async function resultOf({ docker }: Parts, id: string, spec: RunSpec): Promise<JobResult> {
  const container = await inspectContainer(docker, id);
  const { exitCode } = container;
  const { outOfMemory } = await endOf(docker, container);
  const facts = { exitCode };
  if (exitCode === 0) return { outcome: 'succeeded', facts };
  const why = outOfMemory ? ` It ran out of memory (limit ${spec.memoryLimitMb} MB).` : '';
  const message = `The command ended with exit code ${exitCode}.${why}`;
  return { outcome: 'failed', code: 'run_failed', message, facts };
}

/** The output of the previous process's command could not be masked without the secrets, which are not stored. So the command is stopped. */
async function recover(parts: Parts, spec: RunSpec): Promise<JobResult> {
  if (spec.runsIn === 'live') await endInLive(parts, spec);
  else await removeContainers(parts, spec);
  throw new JobFailure(
    'runner_restarted',
    'The runner was restarted while the command ran, and has stopped it. Its effects until then remain: check them before you run it again.',
  );
}

async function removeContainers({ docker }: Parts, { runId }: RunSpec): Promise<void> {
  for (const { id } of await listContainers(docker, { [labels.deployment]: runId }))
    await removeContainer(docker, id);
}
