/** Names of pull endpoints that a killed runner has left on images (docs/decisions/0026). */
import { call, type DockerHost } from '../docker/client.ts';
import { removeImage } from '../docker/images.ts';
import { openPulls, pullsPath } from './open-pulls.ts';

const endpointName = /^(127\.0\.0\.1:\d+\/(longshore-pulls\/[^/]+)\/[0-9a-f]+)[:@]/;

/**
 * Removes this runner's names, except those of running pulls. An image without another name is removed with its name: its pull never ended.
 * @throws DockerError
 */
export async function removeLeftNames(host: DockerHost): Promise<void> {
  const images = await call('list the images', () => host.engine.listImages());
  const names = images.flatMap(({ RepoTags, RepoDigests }) => [...(RepoTags ?? []), ...(RepoDigests ?? [])]);
  for (const name of names) {
    const [, repository, path] = endpointName.exec(name) ?? [];
    if (repository === undefined || path !== pullsPath(host.instance) || openPulls.has(repository)) continue;
    await removeImage(host, name);
  }
}
