/** Everything that an instance has created in Docker, found by its label. Volumes are never removed: only the API removes data. */
import type Docker from 'dockerode';
import { labels } from '../../protocol/names.ts';

/** The time that an app has to exit. */
const stopSeconds = 10;

/** Stops the instance's running containers. @returns how many. */
export async function stopContainers(docker: Docker, runnerId: string): Promise<number> {
  const running = await docker.listContainers({ filters: byInstance(runnerId) });
  await Promise.all(
    running.map(({ Id }) => ignoring([304, 404], docker.getContainer(Id).stop({ t: stopSeconds }))),
  );
  return running.length;
}

/** Removes the instance's containers, networks and images. */
export async function removeAll(docker: Docker, runnerId: string): Promise<void> {
  const filters = byInstance(runnerId);
  const containers = await docker.listContainers({ all: true, filters });
  await Promise.all(
    containers.map(({ Id }) => ignoring([404, 409], docker.getContainer(Id).remove({ force: true }))),
  );
  for (const { Id } of await docker.listNetworks({ filters }))
    await ignoring([404], docker.getNetwork(Id).remove());
  for (const { Id } of await docker.listImages({ filters })) {
    await ignoring([404, 409], docker.getImage(Id).remove({ force: true }));
  }
  for (const name of await pulledImages(docker, containers))
    await ignoring([404, 409], docker.getImage(name).remove());
}

/** The deployments' names for pulled images. Pulled images have no label of ours, but such a name contains the service id. */
async function pulledImages(docker: Docker, containers: Docker.ContainerInfo[]): Promise<string[]> {
  const services = new Set(containers.flatMap(({ Labels }) => Labels[labels.service] ?? []));
  const found = await Promise.all(
    Array.from(services, (id) => docker.listImages({ filters: { reference: [`longshore-${id}-*`] } })),
  );
  // The image may have other names, of the user or of another instance. Those are not removed.
  return found
    .flat()
    .flatMap(({ RepoTags }) =>
      (RepoTags ?? []).filter((tag) => [...services].some((id) => tag.startsWith(`longshore-${id}-`))),
    );
}

/** The names of the volumes with the data of the instance's databases. Nothing in this module removes them. */
export async function dataVolumes(docker: Docker, runnerId: string): Promise<string[]> {
  const { Volumes } = await docker.listVolumes({ filters: byInstance(runnerId) });
  return Volumes.map(({ Name }) => Name).sort();
}

const byInstance = (runnerId: string) => ({ label: [`${labels.instance}=${runnerId}`] });

/** Ignores that an object is already removed or still in use: both are fine for a removal. */
async function ignoring(statuses: number[], call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 0;
    if (!statuses.includes(status)) throw error;
  }
}
