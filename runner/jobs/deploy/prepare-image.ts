/** From a source to an image with the deployment's tag: checkout and build, or pull. */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { imageTag } from '../../../protocol/names.ts';
import { type BuildDecision, decideBuildMethod, isStaticSite } from '../../build/decide-build-method.ts';
import { contextEntries, packContext } from '../../build/docker-context.ts';
import { serviceFiles } from '../../build/service-files.ts';
import { packStaticFiles } from '../../build/static-files.ts';
import { buildStaticImage, sitePath } from '../../build/static-image.ts';
import { buildImage } from '../../docker/build.ts';
import { deploymentLabels } from '../../docker/client.ts';
import { parseImageRef } from '../../docker/image-ref.ts';
import { imageId, inspectImage, pullImage, removeImage, tagImage } from '../../docker/images.ts';
import { guardedAddress } from '../../source/address-guard.ts';
import { checkOut } from '../../source/git-checkout.ts';
import { pathInside } from '../../source/safe-path.ts';
import { JobFailure } from '../job.ts';
import { type Attempt, inPhase } from './attempt.ts';
import { workDirectory } from './remove-attempt.ts';

export interface PreparedImage {
  tag: string;
  /** Directory in the image that is served as a static site; null: the image is run. */
  site: string | null;
}

/**
 * Makes the image of a deployment.
 * @throws JobFailure with the codes of source, build and image
 */
export async function prepareImage(attempt: Attempt): Promise<PreparedImage> {
  const { parts, spec, undo } = attempt;
  const tag = imageTag(spec.serviceId, spec.deploymentId);
  undo.register('remove the image', () => removeImage(parts.docker, tag));
  const site =
    spec.source.type === 'image'
      ? await pulled(attempt, spec.source, tag)
      : await built(attempt, spec.source, tag);
  attempt.facts.imageTag = tag;
  return { tag, site };
}

async function pulled(attempt: Attempt, source: { imageRef: string }, tag: string): Promise<string | null> {
  const { parts, spec, context } = attempt;
  return await inPhase(attempt, 'build', async () => {
    await guardRegistry(attempt, source.imageRef);
    context.log.line('system', `Pulling ${source.imageRef}`);
    const id = await pullImage(parts.docker, source.imageRef, context.log, context.signal);
    await tagImage(parts.docker, id, tag);
    return isStaticSite(spec) ? await siteInImage(attempt, tag) : null;
  });
}

/** The registry's host is held to the same rule as a git host, unless the image is here already. */
async function guardRegistry({ parts, context }: Attempt, imageRef: string): Promise<void> {
  const { registry, name } = parseImageRef(imageRef);
  if (registry === undefined || parts.allowPrivateSources) return;
  if (await imageId(parts.docker, name, context.signal)) return;
  await guardedAddress(registry.replace(/:\d+$/, ''), false);
}

async function built(attempt: Attempt, source: GitSource, tag: string): Promise<string | null> {
  const { spec, secrets, facts } = attempt;
  const root = await inPhase(attempt, 'clone', () => clone(attempt, source));
  const decision = await decideBuildMethod(serviceFiles(root), { ...spec, env: secrets.env });
  facts.detectedBuildMethod = decision.type === 'dockerfile' ? 'dockerfile' : 'analyzer';
  return await inPhase(attempt, 'build', () => build(attempt, root, decision, tag));
}

type GitSource = Extract<Attempt['spec']['source'], { type: 'git' }>;

/** Returns the service root inside the checkout. */
async function clone(attempt: Attempt, source: GitSource): Promise<string> {
  const { parts, spec, secrets, context, facts } = attempt;
  context.log.line('system', `Fetching branch ${source.branch} of ${source.url}`);
  const { tree, commitSha } = await checkOut(
    {
      url: source.url,
      branch: source.branch,
      token: secrets.gitToken,
      allowPrivate: parts.allowPrivateSources,
      directory: workDirectory(parts.dataDirectory, spec.deploymentId),
    },
    context.log,
    context.signal,
  );
  facts.commitSha = commitSha;
  context.enter('clone', { ...facts }); // again: whatever fails from here on, the commit is known
  context.log.line('system', `Checked out ${commitSha}`);
  const root = await pathInside(tree, source.rootDir ?? '.', 'rootDir');
  if (root === undefined || !(await stat(root)).isDirectory()) {
    throw new JobFailure('source_failed', `The repository has no directory "${source.rootDir}" (rootDir).`);
  }
  return root;
}

/** Returns where in the image the static site is, or null for an image that is run. */
async function build(
  attempt: Attempt,
  root: string,
  decision: BuildDecision,
  tag: string,
): Promise<string | null> {
  const { parts, spec, context } = attempt;
  const image = { tag, labels: imageLabels(attempt) };
  if (decision.type === 'static') {
    context.log.line(
      'system',
      `Static site: serving the files of ${decision.directory === '.' ? 'the service root' : decision.directory}`,
    );
    const files = await packStaticFiles(root, decision.directory);
    await buildStaticImage(parts.docker, image, files, context.signal);
    return sitePath;
  }
  context.log.line('system', `Building ${decision.dockerfile}`);
  const entries = await contextEntries(root, decision.dockerfile);
  await buildImage(
    parts.docker,
    { ...image, context: () => packContext(root, entries), dockerfile: decision.dockerfile },
    context.log,
    context.signal,
    parts.builders,
  );
  return isStaticSite(spec) ? await siteInImage(attempt, tag) : null;
}

/** A site that a Dockerfile has built: `staticOutput` below the image's working directory. */
async function siteInImage({ parts, spec, context }: Attempt, tag: string): Promise<string> {
  const image = await inspectImage(parts.docker, tag, context.signal);
  return join(image?.Config.WorkingDir || '/', spec.build.staticOutput ?? '.');
}

const imageLabels = ({ parts, spec, context }: Attempt) =>
  deploymentLabels(parts.docker, { ...spec, epoch: context.epoch }, 'build');
