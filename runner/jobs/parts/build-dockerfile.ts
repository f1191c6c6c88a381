/**
 * Builds a Dockerfile of the repository. It is checked first, and Docker gets the checked text. The runner pulls and inspects its base
 * images, and fetches its files from URLs (docs/decisions/0020).
 */
import { readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { JobFailure } from '../../base/job-failure.ts';
import { scopeArguments, scopeHost } from '../../builder/build-scope.ts';
import { contextEntries, packContext, type SentDockerfile } from '../../builder/docker-context.ts';
import { packAdded, storeAdded } from '../../builder/dockerfile/added-image.ts';
import { checkDockerfile } from '../../builder/dockerfile/check.ts';
import { parseDockerfile, refuseLarge } from '../../builder/dockerfile/parse.ts';
import { platformArguments } from '../../builder/dockerfile/platform-arguments.ts';
import { imagesIn, referencesOf } from '../../builder/dockerfile/references.ts';
import type { CheckedDockerfile } from '../../builder/dockerfile/rewriting.ts';
import { dockerVersion } from '../../docker/client.ts';
import { buildImage } from '../../docker/image-build/build.ts';
import { importImage } from '../../docker/image-files.ts';
import { removeImage } from '../../docker/images.ts';
import { pathInside } from '../../source/safe-path.ts';
import { systemResolve } from '../../source/system-resolve.ts';
import { type Attempt, cappedBuild } from './attempt.ts';
import { type PinnedImages, pinImages } from './pin-images.ts';
import { workDirectory } from './remove-attempt.ts';

export interface DockerfileBuild {
  /** The service root. */
  root: string;
  /** Relative to it. */
  dockerfile: string;
  tag: string;
  labels: Record<string, string>;
}

/** @throws JobFailure with the codes of source, build and image */
export async function buildDockerfile(attempt: Attempt, build: DockerfileBuild): Promise<void> {
  const { parts, context } = attempt;
  context.log.line('system', `Building ${build.dockerfile}`);
  const found = await readDockerfile(build);
  const dockerfile = parseDockerfile(found.bytes);
  if (dockerfile.frontend !== null) {
    const sentence = `"# syntax=${dockerfile.frontend}" is not loaded: the frontend that is built into Docker is used instead.`;
    context.log.line('system', sentence);
  }
  const automatic = platformArguments();
  const references = referencesOf(dockerfile, automatic);
  const pinned = await pinImages(attempt, imagesIn(references.of));
  try {
    const checked = checkDockerfile(
      { dockerfile, references, images: pinned.images, automatic },
      await knowsLink(attempt),
    );
    const added = await importAdded(attempt, build, checked);
    try {
      const text = checked.text({ image: pinned.nameOf, added });
      const host = scopeHost(parts.buildScope(attempt.spec.projectId), dockerfile, pinned.images);
      await run(attempt, build, { path: found.path, mode: found.mode, text }, { pinned, host });
    } finally {
      if (checked.added.length > 0) await removeImage(parts.docker, added);
    }
  } finally {
    await pinned.release();
  }
}

async function readDockerfile({ root, dockerfile }: DockerfileBuild) {
  const real = await pathInside(root, dockerfile, 'Dockerfile');
  if (real === undefined)
    throw new JobFailure('build_method_missing', `The repository has no ${dockerfile}.`);
  const { mode, size } = await stat(real);
  refuseLarge(size);
  const realRoot = (await pathInside(root, '.', 'rootDir')) ?? root;
  const path = relative(realRoot, real).split(sep).join('/');
  return { bytes: await readFile(real), path, mode: mode & 0o777 };
}

/** Whether Docker supports `COPY --link`: it does since 23.0, the first version with BuildKit 0.10. */
async function knowsLink({ parts }: Attempt): Promise<boolean> {
  return Number.parseInt((await dockerVersion(parts.docker)) ?? '', 10) >= 23;
}

/** @returns the name of the image with the added files; a placeholder when nothing is added */
async function importAdded(
  { parts, spec, context }: Attempt,
  { labels }: DockerfileBuild,
  { added }: CheckedDockerfile,
): Promise<string> {
  if (added.length === 0) return 'scratch';
  const directory = join(workDirectory(parts.dataDirectory, spec.deploymentId), 'added');
  for (const { source } of added)
    if (source.type === 'url') context.log.line('system', `Fetching ${source.url.href}`);
  const { files, digest } = await storeAdded(added, directory, {
    allowPrivate: parts.allowPrivateSources,
    resolve: systemResolve,
    signal: context.signal,
  });
  const tag = `longshore-${spec.serviceId}-added-${digest.slice(0, 16)}`;
  await importImage(parts.docker, { tag, labels }, Readable.from(packAdded(files)), context.signal);
  return tag;
}

async function run(
  attempt: Attempt,
  { root, tag, labels }: DockerfileBuild,
  sent: SentDockerfile,
  { pinned, host }: { pinned: PinnedImages; host: string | undefined },
): Promise<void> {
  const { parts, spec, context } = attempt;
  const entries = await contextEntries(root, sent.path);
  const request = {
    tag,
    labels,
    context: () => packContext(root, entries, sent),
    dockerfile: sent.path,
    buildArguments: (builder: 'buildkit' | 'classic') =>
      scopeArguments(parts.buildScope(spec.projectId), builder),
    ...(host === undefined ? {} : { scopeHost: host }),
    ...cappedBuild(attempt),
  };
  await buildImage(parts.docker, request, pinned.readable(context.log), context.signal, parts.builders);
}
