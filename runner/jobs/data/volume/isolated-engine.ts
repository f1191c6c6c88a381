/** An engine like the service's on a volume of its own, in a container that the host alone reaches: data is loaded into it. */
import { labels, restoreContainerName } from '../../../../protocol/names.ts';
import type { DockerHost } from '../../../docker/client.ts';
import {
  type ContainerFacts,
  inspectContainer,
  removeContainer,
  startContainer,
  stopContainer,
} from '../../../docker/containers.ts';
import { copyContainer, copyFiles } from '../../../docker/copy-container.ts';
import { execTools } from '../../../docker/exec-tools.ts';
import { createClosedNetwork, removeClosedNetworks } from '../../../docker/networks/closed-network.ts';
import type { DataPlace, FreshPlace, RestoreNames } from '../../../engines/archive/archive.ts';
import { EngineError } from '../../../engines/engine-error.ts';
import { settingFiles } from './setting-files.ts';
import { type SwapParts, stopGraceSeconds } from './swap-containers.ts';

export interface IsolatedEngineParts extends SwapParts {
  /** RunnerConfig.networkRange. */
  networkRange: string;
}

/** Whose copy it is, and where its data lies. */
export interface IsolatedEngine extends RestoreNames {
  live: ContainerFacts;
  /** It is there already. */
  volume: string;
  /** What the engine's command ends with. */
  arguments: readonly string[];
}

/**
 * Starts the engine, which may not answer yet, and stops it in good order after the work. After a failure `removeIsolatedEngine` is to be called.
 * @throws EngineError, DockerError; JobFailure `start_failed`; the signal's reason
 */
export async function withIsolatedEngine<T>(
  { docker, serviceId, engine, networkRange }: IsolatedEngineParts,
  { env, signal, progress }: Omit<DataPlace, 'address' | 'tools'>,
  { live, volume, suffix, arguments: more }: IsolatedEngine,
  work: (place: FreshPlace) => Promise<T>,
): Promise<T> {
  const name = restoreContainerName(serviceId, 'loading', suffix);
  const networkId = await createClosedNetwork(docker, { name, serviceId }, networkRange);
  const id = await copyContainer(docker, live.id, {
    name,
    volume,
    labels: { ...ownerOf(live), [labels.role]: 'load' },
    alone: { networkId, arguments: more },
  });
  await copyFiles(docker, live.id, id, settingFiles(engine, env, live));
  const start = async () => {
    await startContainer(docker, id);
    const { address } = await inspectContainer(docker, id);
    if (address === null) throw await deathOf(docker, id);
    return { host: address, port: Number(live.labels[labels.port]) };
  };
  const place: FreshPlace = {
    ...{ env, signal, progress, tools: execTools(docker, id), address: await start() },
    async restart() {
      await stopContainer(docker, id, stopGraceSeconds);
      place.address = await start();
    },
  };
  const result = await work(place).catch(async (error: unknown) => {
    signal.throwIfAborted();
    const { running } = await inspectContainer(docker, id);
    throw running ? error : await deathOf(docker, id);
  });
  await stopContainer(docker, id, stopGraceSeconds);
  signal.throwIfAborted();
  await removeIsolatedEngine({ docker, serviceId }, { suffix });
  return result;
}

/** Removes the container and its network; fine when they are gone. Its volume stays. @throws DockerError */
export async function removeIsolatedEngine(
  { docker, serviceId }: Pick<SwapParts, 'docker' | 'serviceId'>,
  { suffix }: RestoreNames,
): Promise<void> {
  const name = restoreContainerName(serviceId, 'loading', suffix);
  await removeContainer(docker, name);
  await removeClosedNetworks(docker, serviceId, name);
}

/** Labels of what belongs to the same service. A volume without a deployment's label is nobody's to take back. */
export function ownerOf({ labels: of }: ContainerFacts): Record<string, string> {
  const kept = [labels.instance, labels.project, labels.service];
  return Object.fromEntries(kept.flatMap((label) => (of[label] ? [[label, of[label]]] : [])));
}

/** Its end is why nothing more was heard of it. */
async function deathOf(docker: DockerHost, id: string): Promise<EngineError> {
  const { outOfMemory, exitCode } = await inspectContainer(docker, id);
  const why = outOfMemory ? 'it needs more memory than the service may take' : `exit code ${exitCode}`;
  return new EngineError('unavailable', `The database ended while it was loaded: ${why}.`);
}
