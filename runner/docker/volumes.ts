/** Data volumes of databases: found by label, so that volumes of other services, instances or programs are never touched. */
import { labels } from '../../protocol/names.ts';
import { call, type DockerHost, ownedBy } from './client.ts';
import { isNotFound } from './docker-error.ts';

/** Names of the volumes of this instance with a service's data. */
export async function serviceVolumes(host: DockerHost, serviceId: string): Promise<string[]> {
  const { Volumes } = await call('list the volumes', () =>
    host.engine.listVolumes({ filters: ownedBy(host, { [labels.service]: serviceId }) }),
  );
  return Volumes.map(({ Name }) => Name);
}

/** All volumes of this instance. */
export async function instanceVolumes(
  host: DockerHost,
): Promise<{ name: string; labels: Record<string, string> }[]> {
  const { Volumes } = await call('list the volumes', () =>
    host.engine.listVolumes({ filters: ownedBy(host, {}) }),
  );
  return Volumes.map(({ Name, Labels }) => ({ name: Name, labels: Labels ?? {} }));
}

/** The deployment that created a volume; undefined when there is no such volume. */
export async function volumeMaker(host: DockerHost, name: string): Promise<string | undefined> {
  const found = await volumeLabels(host, name);
  return found && (found[labels.deployment] ?? '');
}

/** undefined when there is no such volume. */
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

/** Creates a volume; an existing one with this name is left unchanged. */
export async function createVolume(
  host: DockerHost,
  name: string,
  withLabels: Record<string, string>,
): Promise<void> {
  await call('create the volume', () => host.engine.createVolume({ Name: name, Labels: withLabels }));
}

/** Removes a volume and its data; does nothing if it is already gone. @throws DockerError while a container uses it */
export async function removeVolume(host: DockerHost, name: string): Promise<void> {
  await call('remove the volume', () => host.engine.getVolume(name).remove()).catch((error) => {
    if (!isNotFound(error)) throw error;
  });
}
