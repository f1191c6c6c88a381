/** Stops a database's old container and starts the new one on its volume. Two engines never run on the same data. */
import { dataVolumeName, deploymentContainerName, labels } from '../../../protocol/names.ts';
import { crashPoint } from '../../base/crash-point.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { deploymentLabels, diskLimitLabel } from '../../docker/client.ts';
import { type OwnedFile, putFiles } from '../../docker/container-files.ts';
import { createContainer, removeContainer, startContainer, stopContainer } from '../../docker/containers.ts';
import { execTools } from '../../docker/exec-tools.ts';
import { ensureProjectNetwork, withFreeAddress } from '../../docker/networks/networks.ts';
import { secretKeysLabel } from '../../docker/secret-keys.ts';
import { containerUser } from '../../docker/users.ts';
import { createVolume, removeVolume, serviceVolumes, volumeMaker } from '../../docker/volumes.ts';
import { ConnectionsFull } from '../../engines/connections-full.ts';
import type { EngineEnvironment } from '../../engines/engine.ts';
import { forgetLiveVolume, rememberedLiveVolume } from '../../storage/live-volume.ts';
import { startFailure } from '../parts/start-failure.ts';
import { type DatabaseCertificate, makeCertificate } from './certificate.ts';
import type { DatabaseAttempt } from './wait-until-serving.ts';

/** The container that was live until now, and its settings. */
export interface Predecessor {
  id: string;
  /** `null` while it is stopped. */
  address: string | null;
  env: EngineEnvironment;
  offersTls: boolean;
  /** The volume with its data; a restore may have replaced the original one. */
  volume: string | undefined;
}

/** Engines write their memory to disk before they stop. */
const stopGraceSeconds = 60;

/**
 * The new container is created before the old one stops: from then on its existence shows that a job is in progress.
 * @throws JobFailure `start_failed` with Docker's reason; DockerError
 */
export async function replaceContainer(
  attempt: DatabaseAttempt,
  image: string,
  old: Predecessor | undefined,
): Promise<{ id: string; address: string }> {
  const { parts, spec, context, undo } = attempt;
  const { docker } = parts;
  const certificate = await makeCertificate(attempt, image, old?.offersTls ?? false);
  const volume = old?.volume ?? (await volumeWithoutContainer(attempt));
  await ensureVolume(attempt, volume);
  const wasStopped = parts.traffic.current(spec.serviceId)?.target.type === 'stopped';
  if (old && !wasStopped)
    undo.register('start the old container again', () => startContainer(docker, old.id));
  const name = deploymentContainerName(spec.serviceId, spec.deploymentId);
  undo.register('remove the new container', () => removeContainer(docker, name));
  context.signal.throwIfAborted();
  try {
    const container = await create(attempt, { name, image, volume, certificate });
    const files = { ...attempt.made.files, ...certificate?.files };
    await putFiles(docker, container.id, { ...files, ...(await ownKey(attempt, container.id)) });
    crashPoint('start:created');
    context.signal.throwIfAborted();
    if (old) {
      await keepSettings(attempt, old);
      context.log.line('system', 'Stopping the old container; its data stays.');
      await stopContainer(docker, old.id, stopGraceSeconds);
      crashPoint('start:stopped');
    }
    context.signal.throwIfAborted();
    await startContainer(docker, container.id);
    await forgetLiveVolume(parts.dataDirectory, spec.serviceId);
    return container;
  } catch (error) {
    throw startFailure(error);
  }
}

/**
 * The volume of a database without a container: a new one, or one that was deleted and is restored.
 * @throws JobFailure `start_failed` if it has data in several volumes and the live one is unknown
 */
async function volumeWithoutContainer({ parts, spec }: DatabaseAttempt): Promise<string> {
  const first = dataVolumeName(spec.serviceId);
  const volumes = await serviceVolumes(parts.docker, spec.serviceId);
  const remembered = await rememberedLiveVolume(parts.dataDirectory, spec.serviceId);
  if (remembered !== undefined && volumes.includes(remembered)) return remembered;
  if (volumes.length === 0 || volumes.includes(first)) return first;
  if (volumes.length === 1 && volumes[0] !== undefined) return volumes[0];
  throw new JobFailure(
    'start_failed',
    `The data of this database is in several volumes (${volumes.join(', ')}), and which one was live is not known. Nothing was changed: create a new database, and restore a backup into it.`,
  );
}

/** The engine's secret file, for its own user; an image without that user runs the engine as root. */
async function ownKey(
  { made: { keyFile }, parts: { docker } }: DatabaseAttempt,
  id: string,
): Promise<Record<string, OwnedFile>> {
  if (!keyFile) return {};
  const owner = (await containerUser(docker, id, keyFile.user)) ?? { uid: 0, gid: 0 };
  return { [keyFile.path]: { text: keyFile.text, owner, mode: 0o400 } };
}

/**
 * Saves settings that the engine stores only in its container, such as users. If that fails, it warns: a database that does not answer is
 * replaced, too.
 */
async function keepSettings(
  { engine, made, parts: { docker, ways }, context: { log, signal } }: DatabaseAttempt,
  { id, env, address: host }: Predecessor,
): Promise<void> {
  const keep = async () => {
    await engine.keepSettings?.({ env, tools: execTools(docker, id), signal });
    return 'kept';
  };
  try {
    await keep().catch(async (error: unknown) => {
      const isFull = error instanceof ConnectionsFull && host !== null;
      const done = isFull ? await ways?.withRoom({ host, port: made.port }, keep) : undefined;
      if (done === undefined) throw error;
    });
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    log.line(
      'system',
      `Warning: the users of the old container could not be saved, so those made since its start are lost: ${why}`,
    );
  }
}

/**
 * Creates the volume if it is missing, and removes it again if this deployment fails. A later deployment would mistake an incomplete
 * volume for a complete one.
 */
async function ensureVolume(
  { parts: { docker }, spec, undo, context }: DatabaseAttempt,
  name: string,
): Promise<void> {
  const maker = await volumeMaker(docker, name);
  if (maker !== undefined && maker !== spec.deploymentId) return;
  undo.register('remove the new volume', () => removeVolume(docker, name));
  const { [labels.role]: _, ...owner } = deploymentLabels(docker, { ...spec, epoch: context.epoch }, 'app');
  await createVolume(docker, name, owner);
}

async function create(
  attempt: DatabaseAttempt,
  {
    name,
    image,
    volume,
    certificate,
  }: { name: string; image: string; volume: string; certificate: DatabaseCertificate | undefined },
) {
  const { parts, spec, context, made, source } = attempt;
  const network = await ensureProjectNetwork(
    parts.docker,
    spec.projectId,
    parts.networkRange,
    context.signal,
  );
  return await withFreeAddress(parts.docker, network, async (address) => {
    const id = await createContainer(parts.docker, {
      name,
      image,
      networkId: network.id,
      address,
      alias: spec.serviceSlug,
      stop: { signal: made.stopSignal },
      env: made.env,
      labels: {
        ...deploymentLabels(parts.docker, { ...spec, epoch: context.epoch }, 'app'),
        ...secretKeysLabel(attempt.secrets),
        ...diskLimitLabel(spec.limits),
        [labels.port]: String(made.port),
        [labels.tenant]: spec.tenantId ?? '',
        ...(certificate ? { [labels.tlsNames]: JSON.stringify(certificate.names) } : {}),
      },
      memoryLimitMb: spec.memoryLimitMb,
      cpuLimit: spec.cpuLimit,
      limits: spec.limits,
      database: {
        command: certificate ? [...(made.command ?? []), ...certificate.command] : made.command,
        shmSizeMb: made.shmSizeMb,
        volume: { name: volume, path: made.dataDirectory },
        published: { address: source.publicAddress, hostPort: spec.hostPort, port: made.port },
      },
    });
    return { id, address };
  });
}
