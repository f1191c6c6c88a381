/** Builds a service with Railpack. The runner pulls every image of the build, and gives it a name that only this build uses. */
import { join } from 'node:path';
import { JobFailure } from '../../base/job-failure.ts';
import { baseImage } from '../../builder/analyzer/base-images.ts';
import { buildVariables, withheldNotes } from '../../builder/build-variables.ts';
import { isStaticSite } from '../../builder/decide-build-method.ts';
import { type BuildImages, buildWithRailpack } from '../../builder/railpack.ts';
import { namingPlan } from '../../builder/railpack-plan.ts';
import { parseImageRef } from '../../docker/image-ref.ts';
import { type Attempt, baseImageAccess } from './attempt.ts';
import type { BuiltImage } from './build-from-plan.ts';
import { pinImages } from './pin-images.ts';
import { workDirectory } from './remove-attempt.ts';

/**
 * Railpack's images run their own server, even for static files.
 * @param root the service root
 * @throws JobFailure `build_method_missing`, `build_failed`, `source_refused`, `image_failed`
 */
export async function buildByRailpack(
  attempt: Attempt,
  root: string,
  image: { tag: string; labels: Record<string, string> },
  release: string | null,
): Promise<BuiltImage> {
  const { parts, spec, secrets, context } = attempt;
  if (isStaticSite(spec)) {
    throw new JobFailure(
      'build_method_missing',
      'BUILDER is "railpack", whose images run their own server: use runtimeMode "web" without staticOutput, or remove the variable.',
    );
  }
  for (const note of withheldNotes(secrets)) context.log.line('system', note);
  const { installCommand, buildCommand, startCommand } = spec.build;
  const build = {
    ...image,
    root,
    directory: join(workDirectory(parts.dataDirectory, spec.deploymentId), 'railpack'),
    serviceId: spec.serviceId,
    variables: buildVariables(secrets, 'buildkit'),
    commands: { install: installCommand, build: buildCommand, start: startCommand },
    bring: (version: string, named: ReadonlySet<string>) => bring(attempt, version, named),
  };
  await buildWithRailpack(build, context.log, context.signal);
  return { site: null, release };
}

/** Pulls Railpack's frontend and the images in the plan. They are pulled separately: only the operator's registries may be private. */
async function bring(attempt: Attempt, version: string, named: ReadonlySet<string>): Promise<BuildImages> {
  const reference = { name: 'railpack-frontend', version };
  const frontend = parseImageRef(baseImage(reference, attempt.parts.baseImages)).name;
  const ours = await pinImages(attempt, new Set([frontend]), baseImageAccess(attempt));
  try {
    const plans = await pinImages(attempt, named).catch((error: unknown) => {
      throw namingPlan(error);
    });
    return {
      frontend: ours.nameOf(frontend),
      nameOf: plans.nameOf,
      readable: (log) => ours.readable(plans.readable(log)),
      async release() {
        await plans.release();
        await ours.release();
      },
    };
  } catch (error) {
    await ours.release();
    throw error;
  }
}
