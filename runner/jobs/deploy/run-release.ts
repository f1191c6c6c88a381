/** Runs the release command (the setting, or the Procfile's `release`) once in the new image, before the new version becomes live. */
import { deploymentContainerName } from '../../../protocol/names.ts';
import { JobFailure } from '../../base/job-failure.ts';
import {
  createContainer,
  inspectContainer,
  removeContainer,
  startContainer,
} from '../../docker/containers.ts';
import { endOf } from '../../docker/events.ts';
import { readLog } from '../../docker/follow-log.ts';
import { ensureProjectNetwork, withFreeAddress } from '../../docker/networks/networks.ts';
import type { Attempt } from '../parts/attempt.ts';
import { writeFiles } from '../parts/mounted-files.ts';
import { startFailure } from '../parts/start-failure.ts';
import { adoptVolumes, ensureVolumes } from './service-volumes.ts';
import { containerSettings } from './start-candidate.ts';
import { prepareStop } from './stop-live.ts';

/**
 * Runs the command with the service's environment, files, network, limits and volumes; its output is in the log. A service with volumes
 * stops before that, because two programs must not write to them.
 * @throws JobFailure `start_failed` when it does not exit with 0 in time; the old version keeps serving
 */
export async function runRelease(attempt: Attempt, image: { tag: string; release: string }): Promise<void> {
  const { parts, spec, secrets, context, undo } = attempt;
  const { tag, release } = image;
  context.log.line('system', `Release step: ${release}`);
  const name = `${deploymentContainerName(spec.serviceId, spec.deploymentId)}-release`;
  const remove = () => removeContainer(parts.docker, name);
  const mounts = await ensureVolumes(attempt, tag);
  const stopOthers = mounts.length > 0 ? prepareStop(attempt) : async () => {};
  undo.register('remove the container of the release step', remove);
  const network = await ensureProjectNetwork(
    parts.docker,
    spec.projectId,
    parts.networkRange,
    context.signal,
  );
  const id = await withFreeAddress(parts.docker, network, async (address) => {
    const settings = containerSettings(attempt, 'build');
    const once = { networkId: network.id, address, once: release, volumes: mounts };
    const request = { ...settings, name, image: tag, ...once };
    const created = await createContainer(parts.docker, request);
    return created;
  }).catch((error: unknown) => {
    throw startFailure(error);
  });
  try {
    await stopOthers();
    await adoptVolumes(attempt, id, mounts);
    await writeFiles(parts.docker, id, secrets);
    await startContainer(parts.docker, id);
  } catch (error) {
    throw startFailure(error);
  }
  const deadline = AbortSignal.timeout(parts.limits.releaseTimeoutMs);
  await followToEnd(attempt, id, AbortSignal.any([context.signal, deadline]));
  const container = await inspectContainer(parts.docker, id, context.signal);
  const { exitCode, outOfMemory } = await endOf(parts.docker, container);
  await remove();
  if (container.running) throw failed(`${release}" did not end in time`);
  if (outOfMemory) throw failed(`${release}" ran out of memory (limit ${spec.memoryLimitMb} MB)`);
  if (exitCode !== 0) throw failed(`${release}" failed with exit code ${exitCode}`);
}

/** Returns when the container has ended or the signal is aborted. */
async function followToEnd({ parts, context }: Attempt, id: string, signal: AbortSignal): Promise<void> {
  for await (const lines of readLog(parts.docker, id, { since: 0, follow: true }, signal)) {
    for (const { stream, text } of lines) context.log.line(stream, text);
  }
  context.signal.throwIfAborted();
}

const failed = (what: string) =>
  new JobFailure('start_failed', `The release step "${what}; the new version was not started.`);
