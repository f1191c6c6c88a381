/** Volumes of services: found by label, so that volumes of other services, instances or programs are never touched. */
import { addAbortSignal, pipeline, type Readable } from 'node:stream';
import { extract, type Header } from 'tar-stream';
import { labels } from '../../protocol/names.ts';
import { JobFailure } from '../base/job-failure.ts';
import { archiveOf } from '../base/tar-entry.ts';
import { call, callTimeoutMs, type DockerHost, ownedBy } from './client.ts';
import { isNotFound } from './docker-error.ts';
import { ownerIn } from './users.ts';

/** Names of the volumes of this instance with a service's data. */
export async function serviceVolumes(host: DockerHost, serviceId: string): Promise<string[]> {
  return [...(await serviceVolumeDirectories(host, serviceId)).keys()];
}

/** The directories of a service's volumes on the host, by the names of the volumes. */
export async function serviceVolumeDirectories(
  host: DockerHost,
  serviceId: string,
): Promise<Map<string, string>> {
  const { Volumes } = await call('list the volumes', () =>
    host.engine.listVolumes({ filters: ownedBy(host, { [labels.service]: serviceId }) }),
  );
  return new Map(Volumes.map(({ Name, Mountpoint }) => [Name, Mountpoint]));
}

export async function instanceVolumes(
  host: DockerHost,
): Promise<{ name: string; labels: Record<string, string> }[]> {
  const { Volumes } = await call('list the volumes', () =>
    host.engine.listVolumes({ filters: ownedBy(host, {}) }),
  );
  return Volumes.map(({ Name, Labels }) => ({ name: Name, labels: Labels ?? {} }));
}

/** The deployment that created a volume; `undefined` if there is no such volume. */
export async function volumeMaker(host: DockerHost, name: string): Promise<string | undefined> {
  const found = await volumeLabels(host, name);
  return found && (found[labels.deployment] ?? '');
}

/** The labels of a volume; `undefined` if there is no such volume. */
export async function volumeLabels(
  host: DockerHost,
  name: string,
): Promise<Record<string, string> | undefined> {
  try {
    const { Labels } = await call('inspect the volume', () => host.engine.getVolume(name).inspect());
    return Labels ?? {};
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Creates a volume; an existing volume with this name is left unchanged.
 * @throws DockerError; JobFailure `start_failed` for a volume that existed and was not removed by Longshore: an empty one must not replace
 *   it
 */
export async function createVolume(
  host: DockerHost,
  name: string,
  withLabels: Record<string, string>,
): Promise<void> {
  const serviceId = withLabels[labels.service] ?? '';
  if (host.volumes?.has(name) && (await volumeLabels(host, name)) === undefined)
    throw new JobFailure('start_failed', `${goneSentence(host, name, serviceId)} Nothing was started.`);
  await call('create the volume', () => host.engine.createVolume({ Name: name, Labels: withLabels }));
  host.volumes?.add(new Map([[name, serviceId]]));
}

/** The message to the owner of a service about a missing volume, with a solution. */
export const goneSentence = ({ instance }: DockerHost, name: string, serviceId: string): string =>
  `The volume ${name} is gone from this host, and Longshore has not removed it: its data is lost, or in another data directory of Docker. Bring it back. Or make an empty one (docker volume create --label ${labels.instance}=${instance} --label ${labels.service}=${serviceId} ${name}), deploy the service, and restore a backup.`;

/** Removes a volume and its data; does nothing if it is already gone. @throws DockerError while a container uses it */
export async function removeVolume(host: DockerHost, name: string): Promise<void> {
  host.volumes?.remove(name);
  await call('remove the volume', () => host.engine.getVolume(name).remove()).catch((error) => {
    if (!isNotFound(error)) throw error;
  });
}

/**
 * Gives an empty directory of root to the user of a container. Docker creates volumes for root, and fills them from the image with its
 * owners, if the image has that path. A directory with files or another owner is not changed.
 * @param id of a container that has not started yet
 * @param path absolute path in the container
 * @param timeoutMs the daemon's time limit for sending the directory: the service is stopped until then
 * @throws DockerError
 */
export async function giveToUser(
  host: DockerHost,
  id: string,
  path: string,
  timeoutMs = callTimeoutMs,
): Promise<void> {
  const { Config } = await call('inspect the container', () => host.engine.getContainer(id).inspect());
  const owner = await ownerIn(host, id, Config.User ?? '');
  if (owner.uid === 0) return;
  const read = async (abortSignal: AbortSignal) => {
    const archive = await host.engine.getContainer(id).getArchive({ path });
    return await firstHeaders(addAbortSignal(abortSignal, archive as Readable), 2);
  };
  const [directory, ...content] = await call('read a directory of the container', read, { timeoutMs });
  if (directory?.uid !== 0 || content.length > 0) return;
  const bytes = await archiveOf([
    { header: { ...directory, name: path.slice(1), type: 'directory', ...owner } },
  ]);
  await call('write a directory of the container', () =>
    host.engine.getContainer(id).putArchive(bytes, { path: '/' }),
  );
}

/**
 * The first entries of a tar stream. The rest is not awaited, because a service is stopped until then. The loop also ends its current
 * entry: without that, the entry would emit an error without a listener, and end the process.
 */
async function firstHeaders(archive: Readable, count: number): Promise<Header[]> {
  const found: Header[] = [];
  const entries = extract();
  pipeline(archive, entries, () => {}); // its errors end the loop
  for await (const entry of entries) {
    found.push(entry.header);
    if (found.length === count) break;
    entry.resume();
  }
  return found;
}
