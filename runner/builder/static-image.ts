/**
 * A static site as an image `FROM scratch` with its files, and as a directory that the proxy serves. The image lets imageTag and rollback
 * work for static sites, too. The directory is unpacked from the image.
 */
import { access, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import tar from 'tar-fs';
import { JobFailure } from '../base/job-failure.ts';
import { publishDirectory } from '../base/replace-file.ts';
import type { DockerHost } from '../docker/client.ts';
import { copyFromImage, importImage } from '../docker/image-files.ts';
import { siteDirectory } from './static-files.ts';

/** A release is readable for everyone, and contains no executable, special or foreign-owned files. */
const readable = { chown: false, umask: 0, dmode: 0o755, fmode: 0o644 };

/** Creates an image from packed files (`packStaticFiles`). @returns its id */
export function buildStaticImage(
  host: DockerHost,
  image: { tag: string; labels: Record<string, string> },
  files: Readable,
  signal: AbortSignal,
): Promise<string> {
  return importImage(host, image, files, signal);
}

/**
 * Unpacks a directory of an image as a release: into a temporary directory, which is renamed when it is complete. An existing release is not
 * changed.
 * @param path directory in the image; `/site` for images of `buildStaticImage`
 * @throws JobFailure `build_failed` when the image has no such directory or it contains no index.html
 */
export async function unpackRelease(
  host: DockerHost,
  source: { image: string; path: string; labels: Record<string, string> },
  release: string,
  signal: AbortSignal,
): Promise<void> {
  if (await exists(release)) return;
  const unfinished = `${release}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  try {
    await copyFromImage(host, source, (files) => extract(files, unfinished, signal), signal);
    if (!(await exists(join(unfinished, 'index.html')))) {
      throw new JobFailure('build_failed', `The static output ${source.path} has no index.html.`);
    }
    await publishDirectory(unfinished, release);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** The directory of the files in a static image, as an absolute path. */
export const sitePath = `/${siteDirectory}`;

/** The first directory in Docker's archive has the directory's own name. Links are left out, because the proxy would follow them. */
async function extract(files: Readable, directory: string, signal: AbortSignal): Promise<void> {
  const options = {
    ...readable,
    strip: 1,
    ignore: (_: string, header?: tar.Headers) => header?.type !== 'file' && header?.type !== 'directory',
  };
  await pipeline(files, tar.extract(directory, options), { signal });
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
