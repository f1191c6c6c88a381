import { rm } from 'node:fs/promises';
import type { HostTaskOf, ProxyResult } from '../../../protocol/host-task.ts';
import { serviceVolumeName } from '../../../protocol/names.ts';
import type { DockerHost } from '../../docker/client.ts';
import { removeVolume, serviceVolumes } from '../../docker/volumes.ts';
import { backupsDirectory } from '../../storage/backup-files.ts';
import { forgetLiveVolume } from '../../storage/live-volume.ts';

/**
 * Removes the data of a deleted service that can't be restored any more, and its backups on this host; its containers are gone.
 * @throws DockerError while a container uses a volume (someone may be looking at the data); the task is retried
 */
export async function removeVolumes(
  { docker, dataDirectory }: { docker: DockerHost; dataDirectory: string },
  { serviceId }: HostTaskOf<'remove-volumes'>,
): Promise<ProxyResult> {
  const names = await serviceVolumes(docker, serviceId);
  for (const name of names) await removeVolume(docker, name);
  docker.volumes?.removeOf(serviceId);
  await forgetLiveVolume(dataDirectory, serviceId);
  await rm(backupsDirectory(dataDirectory, serviceId), { recursive: true, force: true });
  return {
    ok: true,
    detail: `The ${names.length} data volumes and all backups of the service were removed from this host.`,
  };
}

/**
 * Removes one volume of a service, if it is the service's own.
 * @throws DockerError while a container uses it: a version from before its deletion still runs; the task is retried
 */
export async function removeOneVolume(
  { docker }: { docker: DockerHost },
  { serviceId, volumeId }: HostTaskOf<'remove-volume'>,
): Promise<ProxyResult> {
  const name = serviceVolumeName(serviceId, volumeId);
  if ((await serviceVolumes(docker, serviceId)).includes(name)) await removeVolume(docker, name);
  else docker.volumes?.remove(name);
  return { ok: true, detail: 'The volume was removed from this host.' };
}
