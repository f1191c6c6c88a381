/**
 * The container on the restored volume replaces the live one. `recoverContainerSwap` relies on the order of the steps: until the new one
 * has the stable name, the old one is live, and the old one is removed only after the new one answers.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  labels,
  restoreContainerName,
  restoredVolumeName,
  stableContainerName,
} from '../../../../protocol/names.ts';
import { crashPoint } from '../../../base/crash-point.ts';
import type { DockerHost } from '../../../docker/client.ts';
import {
  type ContainerFacts,
  environmentOf,
  inspectContainer,
  listServiceContainers,
  removeContainer,
  renameContainer,
  startContainer,
  stopContainer,
} from '../../../docker/containers.ts';
import { aliasOf, copyContainer, copyFiles, dataVolumeOf } from '../../../docker/copy-container.ts';
import { volumeLabels } from '../../../docker/volumes.ts';
import type { RestoreNames } from '../../../engines/archive/archive.ts';
import type { BrowsableEngine } from '../../../engines/engine.ts';
import { EngineError } from '../../../engines/engine-error.ts';
import { rememberStartSettings } from '../../parts/start-settings.ts';
import { settingFiles } from './setting-files.ts';

/** Engines write their memory to disk before they exit. */
export const stopGraceSeconds = 60;
/** The engine reads all of its data again. */
const startTimeoutMs = 10 * 60_000;
const pollMs = 200;

/** The service whose volume is swapped. */
export interface SwapParts {
  docker: DockerHost;
  serviceId: string;
  engine: BrowsableEngine;
}

/** The container that replaces the live one. */
export interface Replacement extends RestoreNames {
  /** The container's volume; by default the one that a restore with this suffix has loaded. */
  volume?: string;
  /** Id of the model container; by default the live one. Network, name and ports are always those of the live one. */
  modelId?: string;
  /** Id of an image other than the model's. */
  image?: string;
}

/** @throws EngineError, DockerError; then the old container is live again */
export async function swapContainers(
  parts: SwapParts,
  old: ContainerFacts,
  replacement: Replacement,
): Promise<void> {
  const { docker, serviceId, engine } = parts;
  const { suffix, modelId = old.id, image } = replacement;
  const stable = stableContainerName(serviceId);
  const name = restoreContainerName(serviceId, 'restored', suffix);
  const volume = volumeOf(parts, replacement);
  const other = image === undefined ? {} : { image };
  const copy = { name, volume, labels: old.labels, reachedLike: old.id, ...other };
  const id = await copyContainer(docker, modelId, copy);
  await refuseNewVolume(parts, id, volume);
  const fresh = { ...(await inspectContainer(docker, id)), volume };
  await copyFiles(docker, modelId, id, settingFiles(engine, await environmentOf(docker, modelId), old));
  try {
    await stopContainer(docker, old.id, stopGraceSeconds);
    crashPoint('switch:stopped');
    await renameContainer(docker, old, restoreContainerName(serviceId, 'before', suffix));
    crashPoint('switch:between');
    await renameContainer(docker, fresh, stable);
    crashPoint('switch:named');
    await waitUntilServing(parts, id);
    crashPoint('switch:served');
  } catch (error) {
    await takeBack(parts, old, id);
    throw error;
  }
  // The swap is done: a container that can't be removed now is removed at the runner's next start.
  await removeContainer(docker, old.id).catch(() => {});
}

/**
 * Refuses to start a container whose volume is gone: Docker would create an empty volume, and the database would start without data. Once
 * the new container exists, it uses the volume, so the volume can't be removed. A volume without our labels is kept, because it is not certain
 * that Docker has just created it.
 */
async function refuseNewVolume(
  { docker, serviceId }: SwapParts,
  freshId: string,
  volume: string,
): Promise<void> {
  const found = await volumeLabels(docker, volume);
  if (found?.[labels.service] === serviceId) return;
  await removeContainer(docker, freshId);
  throw new EngineError(
    'not_found',
    `The volume ${volume} with the data was removed meanwhile. The live data was not touched.`,
  );
}

/** Handles a crashed process's swap: completes it if the new container has the name and answers, otherwise undoes it. */
export async function recoverContainerSwap(
  parts: SwapParts,
  replacement: Pick<Replacement, 'suffix' | 'volume'>,
): Promise<'swapped' | 'untouched'> {
  const { docker, serviceId } = parts;
  const { suffix } = replacement;
  const containers = await listServiceContainers(docker, serviceId);
  const volumes = await Promise.all(containers.map(({ id }) => dataVolumeOf(docker, id)));
  const isFresh = (_: unknown, at: number) => volumes[at] === volumeOf(parts, replacement);
  const fresh = containers.find(isFresh);
  const stable = stableContainerName(serviceId);
  const names = [stable, restoreContainerName(serviceId, 'before', suffix)];
  const old = containers.find((one, at) => names.includes(one.name) && !isFresh(one, at));
  if (!old) return fresh ? 'swapped' : 'untouched';
  if (fresh?.name === stable) {
    const serves = await waitUntilServing(parts, fresh.id).then(
      () => true,
      (error: unknown) => {
        if (error instanceof EngineError) return false;
        throw error;
      },
    );
    if (serves) {
      await removeContainer(docker, old.id);
      return 'swapped';
    }
  }
  await takeBack(parts, old, fresh?.id);
  return 'untouched';
}

const volumeOf = (
  { serviceId }: Pick<SwapParts, 'serviceId'>,
  { suffix, volume = restoredVolumeName(serviceId, suffix) }: Pick<Replacement, 'suffix' | 'volume'>,
) => volume;

/** Makes the old data live again, and waits until it answers if possible, so that the message "Nothing was changed" is true. */
async function takeBack(
  parts: SwapParts,
  old: Pick<ContainerFacts, 'id'>,
  freshId: string | undefined,
): Promise<void> {
  const { docker, serviceId } = parts;
  if (freshId !== undefined) await removeContainer(docker, freshId);
  await renameContainer(docker, await inspectContainer(docker, old.id), stableContainerName(serviceId));
  await waitUntilServing(parts, old.id).catch((error: unknown) => {
    if (!(error instanceof EngineError)) throw error;
  });
}

/** Starts the container, and waits for the first answer to a real query. @throws EngineError, DockerError */
async function waitUntilServing({ docker, engine }: SwapParts, id: string): Promise<void> {
  await startContainer(docker, id);
  crashPoint('switch:started');
  const env = await environmentOf(docker, id);
  const alias = await aliasOf(docker, id);
  const giveUpAt = performance.now() + startTimeoutMs;
  for (;;) {
    const { running, restarts, address, exitCode, labels: of } = await inspectContainer(docker, id);
    if (!running || restarts > 0 || address === null) {
      throw new EngineError('unavailable', `The database does not stay up: exit code ${exitCode}.`);
    }
    const at = { host: address, port: Number(of[labels.port]) };
    const serve = async () => {
      await engine.settle?.(at, env, alias ?? address);
      await engine.ping(at, env);
    };
    const refusal = await serve().then(
      () => undefined,
      (error: unknown) => EngineError.from(error),
    );
    if (!refusal) return await rememberStartSettings({ docker, engine }, { id, address: at, env });
    if (performance.now() > giveUpAt) throw refusal;
    await delay(pollMs);
  }
}
