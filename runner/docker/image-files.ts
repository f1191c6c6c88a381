/** Copies files into and out of images without running anything. */
import { Readable } from 'node:stream';
import { withEveryLabel } from '../../protocol/names.ts';
import { JobFailure } from '../base/job-failure.ts';
import { call, callTimeoutMs, type DockerHost } from './client.ts';
import { removeContainer } from './containers.ts';
import { isNotFound } from './docker-error.ts';
import { imageId } from './images.ts';
import { streamedJson } from './streamed-json.ts';

/** Limited by the disk; a site is rarely larger than a few gigabytes. */
const copyTimeoutMs = 10 * 60_000;

/** Creates an image of one layer from a tar stream. @returns its id */
export async function importImage(
  host: DockerHost,
  image: { tag: string; labels: Record<string, string> },
  files: Readable,
  signal: AbortSignal,
): Promise<string> {
  const changes = Object.entries(withEveryLabel(image.labels)).map(([key, value]) => `LABEL ${key}=${value}`);
  await call(
    'import the image',
    async (abortSignal) => {
      const options = { repo: image.tag, tag: 'latest', changes, abortSignal };
      const stream = await host.engine.importImage(files, options);
      for await (const event of streamedJson<{ error?: string }>(stream, abortSignal)) {
        if (event.error) throw new Error(event.error);
      }
    },
    { signal, timeoutMs: copyTimeoutMs },
  );
  const id = await imageId(host, image.tag, signal);
  if (!id) throw new JobFailure('build_failed', 'Docker made no image from the files of the site.');
  return id;
}

/**
 * Passes a directory of an image as a tar stream to `read`, using a container that is never started.
 * @throws JobFailure `build_failed` when the image has no such path
 */
export async function copyFromImage(
  host: DockerHost,
  source: { image: string; path: string; labels: Record<string, string> },
  read: (files: Readable) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const container = await call('create the container', () =>
    // An image FROM scratch has no command, but Docker requires one even for a container that never runs.
    host.engine.createContainer({
      Image: source.image,
      Cmd: ['none'],
      Labels: withEveryLabel(source.labels),
      NetworkDisabled: true,
    }),
  );
  try {
    const stream = await call(
      'read the files of the image',
      () => container.getArchive({ path: source.path }),
      {
        signal,
        timeoutMs: callTimeoutMs,
      },
    );
    await read(stream instanceof Readable ? stream : new Readable().wrap(stream));
  } catch (error) {
    if (isNotFound(error))
      throw new JobFailure('build_failed', `The build did not create the directory ${source.path}.`);
    throw error;
  } finally {
    await removeContainer(host, container.id);
  }
}
