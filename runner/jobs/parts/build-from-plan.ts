/** Builds services without a Dockerfile: from the analyzer's plan as a Dockerfile, or from files that are served unchanged. */

import { labels } from '../../../protocol/names.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { BuildPlan } from '../../builder/analyzer/build-plan.ts';
import { detect } from '../../builder/analyzer/detect.ts';
import { dockerfile, planSiteDirectory } from '../../builder/analyzer/dockerfile.ts';
import { contextDockerfile, packPlanContext } from '../../builder/analyzer/plan-context.ts';
import type { ProjectFiles } from '../../builder/analyzer/project-files.ts';
import { AnalyzerError } from '../../builder/analyzer/provider.ts';
import { scopeArguments } from '../../builder/build-scope.ts';
import { buildVariables, withheldVariables } from '../../builder/build-variables.ts';
import { sourceEntries } from '../../builder/docker-context.ts';
import { readPlan } from '../../builder/dockerfile/checked-plan.ts';
import { packStaticFiles } from '../../builder/static-files.ts';
import { buildStaticImage, sitePath } from '../../builder/static-image.ts';
import { buildImage } from '../../docker/image-build/build.ts';
import type { Builder } from '../../docker/image-build/builder.ts';
import { type Attempt, baseImageAccess, cappedBuild } from './attempt.ts';
import { pinImages } from './pin-images.ts';

/** The variable that selects a builder other than the analyzer. */
const builderVariable = 'BUILDER';

/** Whether the service requests Railpack. @throws JobFailure `build_method_missing` for an unknown builder */
export function wantsRailpack({ secrets }: Attempt): boolean {
  const builder = secrets.env[builderVariable];
  if (!builder || builder === 'analyzer') return false;
  if (builder === 'railpack') return true;
  throw new JobFailure(
    'build_method_missing',
    `${builderVariable} is "${builder}", and must be "analyzer" or "railpack".`,
  );
}

/** How the image of a deployment is used. */
export interface BuiltImage {
  /** The directory in the image that is served as a static site; null: the image is run. */
  site: { path: string; spa: boolean } | null;
  /** A command to run once in the image before the switch; null: none. */
  release: string | null;
}

/**
 * Finds out how the project is built.
 * @throws JobFailure `build_method_missing` with the analyzer's sentence
 */
export async function planBuild({ spec, secrets }: Attempt, files: ProjectFiles): Promise<BuildPlan> {
  try {
    return await detect(files, { ...spec.build, runtimeMode: spec.runtimeMode, env: secrets.env });
  } catch (error) {
    if (!(error instanceof AnalyzerError)) throw error;
    throw new JobFailure('build_method_missing', error.message, { cause: error });
  }
}

/**
 * @param directories absolute paths of the checkout and of the service root in it
 * @param image its labels are for an image that is run
 */
export async function buildFromPlan(
  attempt: Attempt,
  plan: BuildPlan,
  directories: { tree: string; root: string },
  image: { tag: string; labels: Record<string, string> },
  siteLabels: (site: { path: string; spa: boolean }) => Record<string, string>,
): Promise<BuiltImage> {
  const { parts, spec, context } = attempt;
  sayWithheld(attempt);
  for (const note of plan.notes) context.log.line('system', note);
  const { output, release } = plan;
  const site = output.type === 'site' ? { path: planSiteDirectory, spa: output.spa } : null;
  if (output.type === 'site' && !plan.build.steps.some(({ type }) => type === 'run')) {
    const asItIs = { path: sitePath, spa: output.spa };
    const files = await packStaticFiles(directories.root, output.directory);
    const labelled = { tag: image.tag, labels: { ...image.labels, ...siteLabels(asItIs) } };
    await buildStaticImage(parts.docker, labelled, files, context.signal);
    return { site: asItIs, release: null };
  }
  const scope = plan.scope === 'repository' ? directories.tree : directories.root;
  const entries = await sourceEntries(scope);
  const own = site ? siteLabels(site) : { [labels.init]: 'true' };
  const labelled = { tag: image.tag, labels: { ...image.labels, ...own } };
  const pinned = await pinImages(attempt, read(attempt, plan, 'buildkit').images, baseImageAccess(attempt));
  try {
    await buildImage(
      parts.docker,
      {
        ...labelled,
        dockerfile: contextDockerfile,
        context: (builder) => packPlanContext(scope, entries, read(attempt, plan, builder).text(pinned)),
        buildArguments: (builder) => ({
          ...buildVariables(attempt.secrets.env, builder),
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

function sayWithheld({ secrets, context }: Attempt): void {
  const names = withheldVariables(secrets.env);
  if (names.length === 0) return;
  context.log.line(
    'system',
    `Not passed to the build, because they would configure Docker itself: ${names.join(', ')}`,
  );
}

/** If COPY does not find the directory, the builder's message names neither the setting nor a solution. This sentence does. */
function namingOutput(error: unknown, directory: string): unknown {
  const words = error instanceof JobFailure ? String(error.cause ?? '') : '';
  // They name the first missing part of the path.
  const [first = ''] = directory.split('/');
  const isMissing = words.includes(`app/${first}`) && /not found|no such file|does not exist/i.test(words);
  if (!isMissing) return error;
  const sentence = `The static output ${directory} has no index.html: the build made no such directory.`;
  return new JobFailure('build_failed', sentence, { cause: error });
}

const read = ({ parts, spec, secrets }: Attempt, plan: BuildPlan, builder: Builder) =>
  readPlan(
    dockerfile(plan, {
      serviceId: spec.serviceId,
      builder,
      variables: Object.keys(buildVariables(secrets.env, builder)),
      ...(parts.baseImages ? { baseImages: parts.baseImages } : {}),
    }),
  );
