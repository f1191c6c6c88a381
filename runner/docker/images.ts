/** Images: pull, tag by deployment, prune. */
import type Docker from 'dockerode';
import { labels } from '../../protocol/names.ts';
import { call, type DockerHost } from './client.ts';
import { isConflict, isNotFound } from './docker-error.ts';
import { streamedJson } from './streamed-json.ts';

/** Time limit for a pull; the job's own deadline applies too. */
const pullTimeoutMs = 20 * 60_000;

interface ImageName {
  repository: string;
  /** A tag, or for a pull also a digest. */
  tag: string;
}

interface PullEvent {
  status?: string;
  id?: string;
  error?: string;
}

/**
 * Lets Docker pull an image by name, usually from the runner's own endpoint.
 * @param say called with each line for the log
 * @throws DockerError; the signal's reason
 */
export async function pullByName(
  host: DockerHost,
  { repository, tag }: ImageName,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  await call(
    'pull the image',
    async (abortSignal) => {
      const stream = await host.engine.createImage({ fromImage: repository, tag, abortSignal });
      for await (const event of streamedJson<PullEvent>(stream, abortSignal)) {
        if (event.error) throw new Error(event.error);
        if (event.status && worthALine(event.status)) {
          say(event.id ? `${event.id}: ${event.status}` : event.status);
        }
      }
    },
    { signal, timeoutMs: pullTimeoutMs },
  );
}

/** The id of an image; `undefined` if the host has no image with this name. */
export async function imageId(
  host: DockerHost,
  name: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  return (await inspectImage(host, name, signal))?.Id;
}

/** @returns `undefined` if the host has no image with this name @throws DockerError; the signal's reason */
export async function inspectImage(
  host: DockerHost,
  name: string,
  signal?: AbortSignal,
): Promise<Docker.ImageInspectInfo | undefined> {
  try {
    return await call('inspect the image', () => host.engine.getImage(name).inspect(), { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Adds another name to an image. @param name a repository alone stands for its tag `latest` */
export async function tagImage(host: DockerHost, id: string, name: string | ImageName): Promise<void> {
  const { repository, tag } = typeof name === 'string' ? { repository: name, tag: 'latest' } : name;
  await call('tag the image', () => host.engine.getImage(id).tag({ repo: repository, tag }));
}

/** Removes a name from an image, and the image with its last name. Ignores unknown names; an image in use stays. */
export async function removeImage(host: DockerHost, name: string): Promise<void> {
  await call('remove the image', () => host.engine.getImage(name).remove({ force: false })).catch((error) => {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  });
}

/**
 * The tags of a service's images: `longshore-<serviceId>-<deploymentId>`. Images of another instance on the same Docker, to which the
 * service has moved, are excluded. Pulled images have no instance label; Docker itself keeps images that a container uses.
 */
export async function serviceImages(host: DockerHost, serviceId: string): Promise<string[]> {
  const prefix = `longshore-${serviceId}-`;
  const found = await call('list the images', () =>
    host.engine.listImages({ filters: { reference: [`${prefix}*`] } }),
  );
  const isOurs = (image: Docker.ImageInfo) =>
    (image.Labels?.[labels.instance] ?? host.instance) === host.instance;
  const tags = found
    .filter(isOurs)
    .flatMap((image) => image.RepoTags ?? [])
    .filter((tag) => tag.startsWith(prefix));
  return tags.map((tag) => tag.replace(/:latest$/, ''));
}

/** Leaves out the hundreds of lines of progress bars. */
const worthALine = (status: string) =>
  !/^(Downloading|Extracting|Waiting|Verifying|Pulling fs layer)/.test(status);
