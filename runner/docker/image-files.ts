/** Copies files into and out of images without running anything. */
import type { IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { z } from 'zod';
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
  source: ImageFiles & { path: string },
  read: (files: Readable) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  await withContainer(host, source, signal, async (container) => {
    try {
      const stream = await call(
        'read the files of the image',
        () => container.getArchive({ path: source.path }),
        { signal, timeoutMs: callTimeoutMs },
      );
      await read(stream instanceof Readable ? stream : new Readable().wrap(stream));
    } catch (error) {
      if (isNotFound(error))
        throw new JobFailure('build_failed', `The build did not create the directory ${source.path}.`);
      throw error;
    }
  });
}

/**
 * Follows an image's links in these paths. Missing parts of a path are kept unchanged.
 * @param paths absolute, without the parts "." and ".."
 * @returns for each path its form without links
 * @throws DockerError, also for links in a circle
 */
export async function resolveInImage(
  host: DockerHost,
  source: ImageFiles,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  return await withContainer(host, source, signal, async (container) => {
    const resolved: string[] = [];
    for (const path of paths) resolved.push(await resolvePath(container, path, signal));
    return resolved;
  });
}

async function resolvePath(container: Docker.Container, path: string, signal: AbortSignal): Promise<string> {
  const parts = path.split('/').filter(Boolean);
  for (let count = 1; count <= parts.length; count += 1) {
    const target = await linkTarget(container, `/${parts.slice(0, count).join('/')}`, signal);
    if (target === undefined) break;
    if (target !== '') return await resolvePath(container, posix.join(target, ...parts.slice(count)), signal);
  }
  return path;
}

/** The absolute path of a link's final target; empty if it is not a link; `undefined` if the path does not exist. */
async function linkTarget(
  container: Docker.Container,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const answer: IncomingMessage = await call(
      'read a path of the image',
      () => container.infoArchive({ path }),
      { signal },
    );
    answer.resume();
    const fact = String(answer.headers['x-docker-container-path-stat'] ?? '');
    return pathStatSchema.parse(JSON.parse(Buffer.from(fact, 'base64').toString())).linkTarget;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The fields of `ContainerPathStat` in Docker's API that are used. */
const pathStatSchema = z.object({ linkTarget: z.string() });

/** Files of an image, and the labels of the temporary container through which they are read. */
interface ImageFiles {
  image: string;
  labels: Record<string, string>;
}

/** Runs `use` on a container that is never started, and removes it. */
async function withContainer<Result>(
  host: DockerHost,
  { image, labels }: ImageFiles,
  signal: AbortSignal,
  use: (container: Docker.Container) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const container = await call('create the container', () =>
    // An image FROM scratch has no command, but Docker requires one even for a container that never runs.
    host.engine.createContainer({
      Image: image,
      Cmd: ['none'],
      Labels: withEveryLabel(labels),
      NetworkDisabled: true,
    }),
  );
  try {
    return await use(container);
  } finally {
    await removeContainer(host, container.id);
  }
}
