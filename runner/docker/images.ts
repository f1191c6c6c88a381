/** Images: pull, tag by deployment, prune. */
import type Docker from 'dockerode';
import { labels } from '../../protocol/names.ts';
import { JobFailure } from '../base/job-failure.ts';
import type { JobLog } from '../job-log/job-log.ts';
import { call, type DockerHost } from './client.ts';
import { DockerError, diskFull, isConflict, isDiskFull, isNotFound } from './docker-error.ts';
import { type ImageRef, parseImageRef } from './image-ref.ts';
import { streamedJson } from './streamed-json.ts';

/** Time limit for a pull; the job's own deadline applies too. */
const pullTimeoutMs = 20 * 60_000;

/** Docker's messages when it could not reach a registry at all, as opposed to being refused by it. */
const unreachable =
  /dial tcp|no such host|server misbehaving|connection refused|connection reset|network is unreachable|i\/o timeout|TLS handshake|x509|proxyconnect|Client\.Timeout|unexpected EOF/i;
const refused =
  /pull access denied|repository does not exist|manifest unknown|not found|unauthorized|denied/i;

interface PullEvent {
  status?: string;
  id?: string;
  error?: string;
}

/**
 * Pulls an image to the host and returns its id.
 * When the registry can't be reached, a local copy is used, and the log says so.
 * @throws JobFailure `image_failed` with one sentence
 */
export async function pullImage(
  host: DockerHost,
  imageRef: string,
  log: JobLog,
  signal: AbortSignal,
): Promise<string> {
  const ref = parseImageRef(imageRef);
  const local = await imageId(host, ref.name, signal);
  if (local && ref.pinned) return local;
  try {
    await pull(host, ref, log, signal);
  } catch (error) {
    signal.throwIfAborted();
    const words = error instanceof DockerError ? error.detail : String(error);
    if (isDiskFull(words)) throw diskFull(error);
    if (!local || !unreachable.test(words)) throw pullFailure(imageRef, words, error);
    log.line('system', `The registry cannot be reached; using the copy of ${imageRef} that is on this host.`);
    return local;
  }
  const id = await imageId(host, ref.name, signal);
  if (!id) throw new JobFailure('image_failed', `The image ${imageRef} was pulled, but is not on the host.`);
  return id;
}

/** The id of an image; undefined when the host has no image with this name. */
export async function imageId(
  host: DockerHost,
  name: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  return (await inspectImage(host, name, signal))?.Id;
}

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

/** Adds another name to an image. */
export async function tagImage(host: DockerHost, id: string, repository: string): Promise<void> {
  await call('tag the image', () => host.engine.getImage(id).tag({ repo: repository, tag: 'latest' }));
}

/** Removes a name from an image, and the image with its last name. Ignores unknown names; an image in use stays. */
export async function removeImage(host: DockerHost, name: string): Promise<void> {
  await call('remove the image', () => host.engine.getImage(name).remove({ force: false })).catch((error) => {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  });
}

/**
 * The tags of a service's images: `longshore-<serviceId>-<deploymentId>`. Excludes those of another instance on the same Docker, to which
 * the service has moved. Pulled images have no instance label; Docker itself keeps images that a container uses.
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

async function pull(host: DockerHost, ref: ImageRef, log: JobLog, signal: AbortSignal): Promise<void> {
  await call(
    'pull the image',
    async (abortSignal) => {
      const stream = await host.engine.createImage({ fromImage: ref.repository, tag: ref.tag, abortSignal });
      for await (const event of streamedJson<PullEvent>(stream, abortSignal)) {
        if (event.error) throw new Error(event.error);
        if (event.status && worthALine(event.status)) {
          log.line('stdout', event.id ? `${event.id}: ${event.status}` : event.status);
        }
      }
    },
    { signal, timeoutMs: pullTimeoutMs },
  );
}

/** Leaves out the hundreds of progress bars. */
const worthALine = (status: string) =>
  !/^(Downloading|Extracting|Waiting|Verifying|Pulling fs layer)/.test(status);

function pullFailure(imageRef: string, words: string, cause: unknown): JobFailure {
  const message = unreachable.test(words)
    ? `The registry of ${imageRef} cannot be reached, and the host has no copy of the image. Connect the host to the registry, or load the image there by hand (docker save, docker load), and deploy again.`
    : refused.test(words)
      ? `The image ${imageRef} was not found, or it is private.`
      : `The image ${imageRef} could not be pulled: ${words}`;
  return new JobFailure('image_failed', message, { cause });
}
