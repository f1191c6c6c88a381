/**
 * Converts a source to an image with the deployment's tag: by checkout and build, by pull, or from the stored image of an earlier
 * deployment.
 */

import { realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { imageTag, labels, stableContainerName } from '../../../protocol/names.ts';
import { isCommitId } from '../../../protocol/sources/branch-name.ts';
import { buildEnvOf } from '../../../protocol/variable-scope.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { projectOnDisk } from '../../builder/analyzer/disk-files.ts';
import { readProcfile, releaseCommandOf } from '../../builder/analyzer/procfile.ts';
import { procfileNotes } from '../../builder/analyzer/procfile-notes.ts';
import { type ProjectFiles, sourceFilesIn } from '../../builder/analyzer/project-files.ts';
import { databaseFileNote } from '../../builder/database-files.ts';
import { decideBuildMethod, isStaticSite } from '../../builder/decide-build-method.ts';
import { deploymentLabels } from '../../docker/client.ts';
import { imageOf, listServiceContainers } from '../../docker/containers.ts';
import { refuseFullDisk } from '../../docker/disk-space.ts';
import { pinnedTo } from '../../docker/image-ref.ts';
import { inspectImage, removeImage, tagImage } from '../../docker/images.ts';
import { pullImage } from '../../registry/pull-image.ts';
import { checkOut } from '../../source/git-checkout.ts';
import { pathInside } from '../../source/safe-path.ts';
import { sourceOptions } from '../../source/source-options.ts';
import { suggestedKeys } from '../../source/suggested-keys.ts';
import { lineEndsNote, removeWindowsLineEnds } from '../../source/windows-line-ends.ts';
import { type Attempt, inPhase, registryAccess } from './attempt.ts';
import { buildByRailpack } from './build-by-railpack.ts';
import { buildDockerfile } from './build-dockerfile.ts';
import {
  type BuiltImage,
  buildFromPlan,
  planBuild,
  releaseLabelOf,
  wantsRailpack,
} from './build-from-plan.ts';
import { workDirectory } from './remove-attempt.ts';
import { fetchFolder, type UploadSource } from './uploaded-source.ts';

export interface PreparedImage extends BuiltImage {
  tag: string;
}

type Site = NonNullable<BuiltImage['site']>;

/**
 * Prepares the image of a deployment.
 * @throws JobFailure with the codes of source, build and image
 */
export async function prepareImage(attempt: Attempt): Promise<PreparedImage> {
  const { parts, spec, undo } = attempt;
  if (!startsStoredImage(spec)) await refuseFullDisk(parts.docker, parts.dataDirectory, parts.readDiskSpace);
  const tag = imageTag(spec.serviceId, spec.deploymentId);
  undo.register('remove the image', () => removeImage(parts.docker, tag));
  const image = await fromSource(attempt, tag);
  attempt.facts.imageTag = tag;
  return { tag, ...image };
}

function fromSource(attempt: Attempt, tag: string): Promise<BuiltImage> {
  const { source } = attempt.spec;
  switch (source.type) {
    case 'git':
      return built(attempt, () => clone(attempt, source), tag);
    case 'upload':
      return built(attempt, () => unpacked(attempt, source), tag);
    case 'image':
      return pulled(attempt, source, tag);
    case 'database':
      return source.restarts ? liveImage(attempt, source, tag) : pulled(attempt, source, tag);
    case 'kept':
      return kept(attempt, source, tag);
  }
}

/** True if another job of the same deployment has prepared its image: the service moves to this host. */
export const isPrepared = ({ source, deploymentId }: Pick<Attempt['spec'], 'source' | 'deploymentId'>) =>
  source.type === 'kept' && source.deploymentId === deploymentId;

/** True if the image is already on the host. */
const startsStoredImage = ({ source }: Attempt['spec']) =>
  source.type === 'kept' || (source.type === 'database' && source.restarts === true);

/** The image of the database's live container, not of its last deployment: an upgrade may have changed it since. */
async function liveImage(attempt: Attempt, source: { imageRef: string }, tag: string): Promise<BuiltImage> {
  const { parts, spec, context } = attempt;
  const containers = await listServiceContainers(parts.docker, spec.serviceId);
  const live = containers.find(({ name }) => name === stableContainerName(spec.serviceId));
  if (!live) return await pulled(attempt, source, tag);
  context.log.line('system', 'Restarting with the same image; nothing is pulled.');
  await tagImage(parts.docker, await imageOf(parts.docker, live.id), tag);
  return { site: null, release: null };
}

/**
 * Adds this deployment's tag to the image, so that it survives when the earlier deployment's tag is removed. The release command is not
 * repeated: its changes to a database are still present. Only a service that moves with its volumes has not run it yet.
 */
async function kept(attempt: Attempt, source: KeptSource, tag: string): Promise<BuiltImage> {
  const { parts, spec, context, facts } = attempt;
  const { deploymentId, commitSha } = source;
  if (commitSha !== null) facts.commitSha = commitSha;
  context.log.line('system', whatStarts(attempt.spec, source));
  const image = await inspectImage(parts.docker, imageTag(spec.serviceId, deploymentId), context.signal);
  if (!image) {
    throw new JobFailure(
      'image_gone',
      isPrepared(spec)
        ? 'The image that was prepared is no longer on this host: move the service again.'
        : `The image of ${deploymentId} is no longer on this host, so this ${source.restarts ? 'restart' : 'rollback'} is not possible: deploy the service again instead.`,
    );
  }
  await tagImage(parts.docker, image.Id, tag);
  const path = image.Config.Labels?.[labels.site];
  const built = path ? { path, spa: image.Config.Labels?.[labels.spa] === 'true' } : null;
  const waits = isPrepared(spec) && (spec.volumes?.length ?? 0) > 0;
  const release = spec.build.releaseCommand ?? (image.Config.Labels?.[labels.release] || null);
  return { site: built ?? (await siteInImage(attempt, tag)), release: waits ? release : null };
}

function whatStarts(spec: Attempt['spec'], { deploymentId, restarts }: KeptSource): string {
  if (isPrepared(spec)) return 'The files have arrived: starting the image that was prepared.';
  const what = restarts ? `Restarting ${deploymentId}` : `Rolling back to ${deploymentId}`;
  return `${what}: starting its stored image, nothing is built.`;
}

async function pulled(
  attempt: Attempt,
  { imageRef, digest }: { imageRef: string; digest?: string | undefined },
  tag: string,
): Promise<BuiltImage> {
  const { parts, context, facts } = attempt;
  const name = digest === undefined ? imageRef : pinnedTo(imageRef, digest);
  return await inPhase(attempt, 'build', async () => {
    if (attempt.spec.source.type === 'image') warnOfDatabaseFile(attempt);
    context.log.line('system', digest === undefined ? `Pulling ${name}` : `Pulling ${name}, of ${imageRef}`);
    const { log, signal } = context;
    const onDigest = (found: string) => {
      facts.imageDigest = found;
    };
    const id = await pullImage(parts.docker, name, registryAccess(attempt), { log, signal, onDigest });
    await tagImage(parts.docker, id, tag);
    const release = attempt.spec.build.releaseCommand ?? null;
    return { site: await siteInImage(attempt, tag), release };
  });
}

async function built(attempt: Attempt, fetch: () => Promise<Source>, tag: string): Promise<BuiltImage> {
  const { spec, secrets, facts } = attempt;
  const { tree, root } = await inPhase(attempt, 'clone', fetch);
  const files = projectOnDisk(tree, relative(tree, root) || '.');
  facts.sourceFiles = sourceFilesIn(files);
  const decision = decideBuildMethod(files, { ...spec, env: buildEnvOf(secrets) });
  facts.detectedBuildMethod = decision.type;
  const procfile = readProcfile(files);
  const release = releaseCommandOf(spec.build.releaseCommand, procfile);
  for (const note of procfileNotes(spec, procfile, decision.type === 'dockerfile'))
    attempt.context.log.line('system', note);
  warnOfDatabaseFile(attempt, files);
  if (decision.type === 'dockerfile') {
    return await inPhase(attempt, 'build', () =>
      byDockerfile(attempt, root, decision.dockerfile, { tag, release }),
    );
  }
  const image = { tag, labels: { ...imageLabels(attempt), ...releaseLabelOf(release) } };
  if (wantsRailpack(attempt))
    return await inPhase(attempt, 'build', () => buildByRailpack(attempt, root, image, release));
  if (spec.build.buildTarget !== undefined)
    attempt.context.log.line(
      'system',
      'Warning: buildTarget is not used, because no Dockerfile builds this service. Set buildTarget to null, or add a Dockerfile.',
    );
  const plan = await planBuild(attempt, files);
  if (plan.framework) facts.framework = plan.framework;
  return await inPhase(attempt, 'build', () =>
    buildFromPlan(attempt, plan, { tree, root }, image, siteLabels),
  );
}

function warnOfDatabaseFile({ spec, secrets, context }: Attempt, files?: ProjectFiles): void {
  const note = databaseFileNote(spec, secrets.env, files);
  if (note !== undefined) context.log.line('system', note);
}

type GitSource = Extract<Attempt['spec']['source'], { type: 'git' }>;
type KeptSource = Extract<Attempt['spec']['source'], { type: 'kept' }>;

/** The files, and the service root inside them. */
interface Source {
  tree: string;
  root: string;
}

async function unpacked(attempt: Attempt, source: UploadSource): Promise<Source> {
  return await rooted(attempt, await fetchFolder(attempt, source), { ...source, name: 'uploaded folder' });
}

async function clone(attempt: Attempt, source: GitSource): Promise<Source> {
  const { parts, spec, secrets, context, facts } = attempt;
  const what = source.isRef ? source.branch : `branch ${source.branch}`;
  context.log.line('system', `Fetching ${what} of ${source.url}`);
  const { tree, ...commit } = await checkOut(
    {
      url: source.url,
      branch: source.branch,
      isRef: source.isRef,
      token: secrets.gitToken,
      credential: secrets.gitCredential,
      allowPrivate: parts.allowPrivateSources,
      directory: workDirectory(parts.dataDirectory, spec.deploymentId),
      knownHosts: join(parts.dataDirectory, 'known_hosts'),
      ...sourceOptions(buildEnvOf(secrets)),
    },
    context.log,
    context.signal,
  );
  Object.assign(facts, commit, isCommitId(source.branch) ? {} : { branch: source.branch });
  context.enter('clone', { ...facts }); // repeated, so that any later failure includes the commit
  context.log.line('system', `Checked out ${commit.commitSha}`);
  return await rooted(attempt, tree, { ...source, name: 'repository' });
}

/** @param of.name for messages @throws JobFailure `source_refused`, `source_failed` */
async function rooted(
  { facts, context }: Attempt,
  tree: string,
  { rootDir, name }: { rootDir: string | null; name: string },
): Promise<Source> {
  const root = await pathInside(tree, rootDir ?? '.', 'rootDir');
  if (root === undefined || !(await stat(root)).isDirectory()) {
    throw new JobFailure('source_failed', `The ${name} has no directory "${rootDir}" (rootDir).`);
  }
  const scripts = await removeWindowsLineEnds(tree);
  if (scripts.length > 0) context.log.line('system', lineEndsNote(scripts));
  facts.suggestedKeys = await suggestedKeys(root);
  return { tree: await realpath(tree), root };
}

async function byDockerfile(
  attempt: Attempt,
  root: string,
  dockerfile: string,
  { tag, release }: { tag: string; release: string | null },
): Promise<BuiltImage> {
  warnOfUnusedCommands(attempt);
  const own = { ...imageLabels(attempt), ...releaseLabelOf(release) };
  await buildDockerfile(attempt, { root, dockerfile, tag, labels: own });
  return { site: await siteInImage(attempt, tag), release };
}

function warnOfUnusedCommands({ spec: { build }, context }: Attempt): void {
  const given = (['installCommand', 'buildCommand', 'startCommand'] as const).filter((name) => build[name]);
  if (given.length === 0) return;
  const verb = given.length > 1 ? 'are' : 'is';
  context.log.line(
    'system',
    `Warning: ${given.join(', ')} ${verb} not used, because a Dockerfile builds this service. Write the command there, or set buildMethod to "analyzer".`,
  );
}

/** The site built by a Dockerfile: `staticOutput` below the image's working directory. `null` if the service is not a site. */
async function siteInImage({ parts, spec, context }: Attempt, tag: string): Promise<Site | null> {
  if (!isStaticSite(spec)) return null;
  const image = await inspectImage(parts.docker, tag, context.signal);
  return { path: join(image?.Config.WorkingDir || '/', spec.build.staticOutput ?? '.'), spa: false };
}

/** Labels from which a rollback knows how to use the image. */
const siteLabels = ({ path, spa }: Site) => ({ [labels.site]: path, [labels.spa]: String(spa) });

const imageLabels = ({ parts, spec, context }: Attempt) =>
  deploymentLabels(parts.docker, { ...spec, epoch: context.epoch }, 'build');
