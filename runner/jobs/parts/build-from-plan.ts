/** Builds services without a Dockerfile: from the analyzer's plan as a Dockerfile, or from files that are served unchanged. */

import { labels } from '../../../protocol/names.ts';
import { buildEnvOf } from '../../../protocol/variable-scope.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { BuildPlan } from '../../builder/analyzer/build-plan.ts';
import { detect } from '../../builder/analyzer/detect.ts';
import { projectOnDisk } from '../../builder/analyzer/disk-files.ts';
import { dockerfile, planSiteDirectory } from '../../builder/analyzer/dockerfile.ts';
import { installVariables } from '../../builder/analyzer/install-variables.ts';
import { contextDockerfile, packPlanContext } from '../../builder/analyzer/plan-context.ts';
import type { ProjectFiles } from '../../builder/analyzer/project-files.ts';
import { AnalyzerError } from '../../builder/analyzer/provider.ts';
import { scopeArguments } from '../../builder/build-scope.ts';
import { buildVariables, withheldNotes } from '../../builder/build-variables.ts';
import { sourceEntries } from '../../builder/docker-context.ts';
import { readPlan } from '../../builder/dockerfile/check.ts';
import { packStaticFiles } from '../../builder/static-files.ts';
import { buildStaticImage, sitePath } from '../../builder/static-image.ts';
import { buildImage } from '../../docker/image-build/build.ts';
import type { Builder } from '../../docker/image-build/builder.ts';
import { type Attempt, baseImageAccess, cappedBuild } from './attempt.ts';
import { pinImages } from './pin-images.ts';

/** The variable that selects a builder other than the analyzer. */
const builderVariable = 'BUILDER';

/** True if the service requests Railpack. @throws JobFailure `build_method_missing` for an unknown builder */
export function wantsRailpack({ secrets }: Attempt): boolean {
  const builder = buildEnvOf(secrets)[builderVariable];
  if (!builder || builder === 'analyzer') return false;
  if (builder === 'railpack') return true;
  throw new JobFailure(
    'build_method_missing',
    `${builderVariable} is "${builder}", and must be "analyzer" or "railpack".`,
  );
}

/** The use of a deployment's image. */
export interface BuiltImage {
  /** The directory in the image that is served as a static site; `null` if the image is run. */
  site: { path: string; spa: boolean } | null;
  /** A command to run once in the image before the switch; `null` for none. */
  release: string | null;
}

/** From this label a service that moves knows the command: its image is built before its files are there. */
export const releaseLabelOf = (release: string | null): Record<string, string> =>
  release === null ? {} : { [labels.release]: release };

/**
 * Determines how to build the project.
 * @throws JobFailure `build_method_missing` with the analyzer's sentence
 */
export async function planBuild({ spec, secrets }: Attempt, files: ProjectFiles): Promise<BuildPlan> {
  try {
    return await detect(files, { ...spec.build, runtimeMode: spec.runtimeMode, env: buildEnvOf(secrets) });
  } catch (error) {
    if (!(error instanceof AnalyzerError)) throw error;
    throw new JobFailure('build_method_missing', error.message, { cause: error });
  }
}

/**
 * @param directories absolute paths of the checkout and of the service root in it
 * @param image has the labels for an image that is run
 */
export async function buildFromPlan(
  attempt: Attempt,
  plan: BuildPlan,
  directories: { tree: string; root: string },
  image: { tag: string; labels: Record<string, string> },
  siteLabels: (site: { path: string; spa: boolean }) => Record<string, string>,
): Promise<BuiltImage> {
  const { parts, spec, context } = attempt;
  for (const note of withheldNotes(attempt.secrets)) context.log.line('system', note);
  for (const note of plan.notes) context.log.line('system', note);
  const { output, release } = plan;
  const releaseLabel = releaseLabelOf(release);
  const site = output.type === 'site' ? { path: planSiteDirectory, spa: output.spa } : null;
  if (output.type === 'site' && !plan.build.steps.some(({ type }) => type === 'run')) {
    const asItIs = { path: sitePath, spa: output.spa };
    const files = await packStaticFiles(directories.root, output.directory);
    const labelled = { tag: image.tag, labels: { ...image.labels, ...siteLabels(asItIs) } };
    await buildStaticImage(parts.docker, labelled, files, context.signal);
    return { site: asItIs, release: null };
  }
  const scope = plan.scope === 'repository' ? directories.tree : directories.root;
  const files = projectOnDisk(scope);
  const ignored: string[] = [];
  const entries = await sourceEntries(scope, ignored);
  if (ignored.length > 0) context.log.line('system', ignoredNote(ignored));
  const own = site ? siteLabels(site) : { [labels.init]: 'true', ...releaseLabel };
  const labelled = { tag: image.tag, labels: { ...image.labels, ...own } };
  const pinned = await pinImages(
    attempt,
    read(attempt, plan, 'buildkit', files).images,
    baseImageAccess(attempt),
  );
  try {
    await buildImage(
      parts.docker,
      {
        ...labelled,
        dockerfile: contextDockerfile,
        context: (builder) =>
          packPlanContext(scope, entries, read(attempt, plan, builder, files).text(pinned)),
        buildArguments: (builder) => ({
          ...buildVariables(attempt.secrets, builder),
          ...scopeArguments(parts.buildScope(spec.projectId), builder),
        }),
        ...cappedBuild(attempt),
      },
      pinned.readable(context.log),
      context.signal,
      parts.builders,
    );
  } catch (error) {
    throw output.type === 'site' ? namingOutput(error, output.directory) : error;
  } finally {
    await pinned.release();
  }
  return { site, release };
}

/** More names would hide the rest of the note. */
const ignoredMax = 5;

/** The file is written for a Dockerfile, and may list what the app needs. */
function ignoredNote(paths: readonly string[]): string {
  const count = paths.length === 1 ? 'a file' : `${paths.length.toLocaleString('en-GB')} files`;
  const names = [...paths].sort().slice(0, ignoredMax).join(', ');
  return `.dockerignore leaves ${count} of the source out of the build: ${names}${paths.length > ignoredMax ? ', ...' : ''}`;
}

/** If COPY does not find the directory, the builder's message contains neither the setting nor a solution, unlike this sentence. */
function namingOutput(error: unknown, directory: string): unknown {
  const words = error instanceof JobFailure ? String(error.cause ?? '') : '';
  // Builders print the first missing part of the path.
  const [first = ''] = directory.split('/');
  const isMissing = words.includes(`app/${first}`) && /not found|no such file|does not exist/i.test(words);
  if (!isMissing) return error;
  const sentence = `The static output ${directory} has no index.html: the build made no such directory.`;
  return new JobFailure('build_failed', sentence, { cause: error });
}

const read = ({ parts, spec, secrets }: Attempt, plan: BuildPlan, builder: Builder, files: ProjectFiles) => {
  const variables = Object.keys(buildVariables(secrets, builder));
  return readPlan(
    dockerfile(plan, {
      serviceId: spec.serviceId,
      builder,
      variables,
      installVariables: installVariables(plan, files, variables),
      ...(parts.baseImages ? { baseImages: parts.baseImages } : {}),
    }),
  );
};
