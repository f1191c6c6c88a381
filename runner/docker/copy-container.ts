/** Creates a copy of a container on another volume: the same image, settings, limits and files. */
import type Docker from 'dockerode';
import type { Header } from 'tar-stream';
import { withEveryLabel } from '../../protocol/names.ts';
import { JobFailure } from '../base/job-failure.ts';
import { archiveOf } from '../base/tar-entry.ts';
import { call, type DockerHost } from './client.ts';
import { smallFiles } from './container-files.ts';
import { createWithVolumes } from './containers.ts';
import { isNotFound } from './docker-error.ts';

/** The differences between a copy and its model. */
export interface CopyRequest {
  name: string;
  /** Replaces the model's volume. */
  volume: string;
  labels: Record<string, string>;
  /** Id of another image. Settings that the model inherited from its own image, such as `PATH`, are then taken from this image. */
  image?: string;
  /** Id of the container from which the copy takes network, aliases and published ports; by default the model. */
  reachedLike?: string;
  /** For work on the data only: Docker never restarts the container, this is its only network, and these arguments are appended to its command. */
  alone?: { networkId: string; arguments: readonly string[] };
}

/** Creates the copy without starting it. @returns its id @throws DockerError */
export async function copyContainer(
  host: DockerHost,
  modelId: string,
  request: CopyRequest,
): Promise<string> {
  const model = await call('inspect the container', () => host.engine.getContainer(modelId).inspect());
  const from = request.image === undefined ? model : await onImage(host, model, request.image);
  const { reachedLike } = request;
  const reached =
    reachedLike === undefined
      ? model
      : await call('inspect the container', () => host.engine.getContainer(reachedLike).inspect());
  return await createWithVolumes(host, copyOptions(from, request, reached));
}

/** The named volume that holds a database's data. @throws DockerError */
export async function dataVolumeOf(host: DockerHost, id: string): Promise<string | undefined> {
  const { HostConfig } = await call('inspect the container', () => host.engine.getContainer(id).inspect());
  return HostConfig.Mounts?.find(({ Type }) => Type === 'volume')?.Source;
}

/** The alias by which other containers on its network find a database. @throws DockerError */
export async function aliasOf(host: DockerHost, id: string): Promise<string | undefined> {
  const model = await call('inspect the container', () => host.engine.getContainer(id).inspect());
  return aliasesOf(model)[0];
}

/**
 * Copies files with owner and mode from one container into another; either may be stopped. Skips files that the first one lacks: an older
 * runner may have created it without them.
 * @throws DockerError
 */
export async function copyFiles(
  host: DockerHost,
  from: string,
  to: string,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const copied: { header: Header; bytes: Buffer }[] = [];
  for (const path of paths) {
    const found = await call('read a file of the container', () =>
      host.engine.getContainer(from).getArchive({ path }),
    ).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (!found) continue;
    for await (const { header, bytes } of smallFiles(found)) {
      copied.push({ header: { ...header, name: path.slice(1) }, bytes });
    }
  }
  const bytes = await archiveOf(copied);
  await call('write files into the container', () =>
    host.engine.getContainer(to).putArchive(bytes, { path: '/' }),
  );
}

/** The model's settings as if it had been created from this image. `inspect` shows inherited settings of the image as the container's own. */
async function onImage(
  host: DockerHost,
  model: Docker.ContainerInspectInfo,
  image: string,
): Promise<Docker.ContainerInspectInfo> {
  const settingsOf = (id: string) =>
    call('inspect the image', () => host.engine.getImage(id).inspect()).then(({ Config }) => Config);
  const [own, other] = await Promise.all([settingsOf(model.Image), settingsOf(image)]);
  const { Env, Cmd, Entrypoint } = model.Config;
  const inherited = <T>(value: T, ofOwn: T, ofOther: T): T =>
    JSON.stringify(value ?? null) === JSON.stringify(ofOwn ?? null) ? ofOther : value;
  return {
    ...model,
    Image: image,
    Config: {
      ...model.Config,
      Env: Env.filter((entry) => !own.Env?.includes(entry)),
      Cmd: inherited(Cmd, own.Cmd as string[], other.Cmd as string[]),
      Entrypoint: inherited(Entrypoint, own.Entrypoint, other.Entrypoint),
    },
  };
}

function copyOptions(
  model: Docker.ContainerInspectInfo,
  { name, volume, labels, alone }: CopyRequest,
  reached: Docker.ContainerInspectInfo,
): Docker.ContainerCreateOptions {
  const { Image, Config, HostConfig } = model;
  const Mounts = HostConfig.Mounts?.map((mount) =>
    mount.Type === 'volume' ? { ...mount, Source: volume } : mount,
  );
  if (!Mounts?.length) throw new JobFailure('restore_failed', 'The container of the database has no volume.');
  const { StopSignal, ExposedPorts } = Config as Docker.ContainerCreateOptions;
  const same = {
    name,
    Image, // by id: the tag may have moved to another image
    Env: Config.Env,
    // null if the image only has an entrypoint: an empty list means the same.
    Cmd: [...((Config.Cmd as string[] | null) ?? []), ...(alone?.arguments ?? [])],
    ...(Config.Entrypoint ? { Entrypoint: Config.Entrypoint } : {}),
    ...(StopSignal ? { StopSignal } : {}),
    Labels: withEveryLabel(labels),
  };
  if (alone) {
    const RestartPolicy = { Name: 'no' };
    return {
      ...same,
      HostConfig: { ...HostConfig, Mounts, NetworkMode: alone.networkId, PortBindings: {}, RestartPolicy },
    };
  }
  const { NetworkMode = '', PortBindings } = reached.HostConfig;
  const [endpoint] = Object.values(reached.NetworkSettings.Networks);
  return {
    ...same,
    ...(ExposedPorts ? { ExposedPorts } : {}),
    HostConfig: { ...HostConfig, Mounts, NetworkMode, PortBindings },
    NetworkingConfig: {
      EndpointsConfig: { [NetworkMode]: { IPAMConfig: endpoint?.IPAMConfig, Aliases: aliasesOf(reached) } },
    },
  };
}

/** The aliases without the container's short id, which older versions of Docker add. */
function aliasesOf({ Id, NetworkSettings }: Docker.ContainerInspectInfo): string[] {
  const [endpoint] = Object.values(NetworkSettings.Networks);
  return ((endpoint?.Aliases ?? []) as string[]).filter((alias) => !Id.startsWith(alias));
}
