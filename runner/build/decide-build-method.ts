/** How a repository becomes something that runs: the rules of INTERFACE 4.2. */
import { join } from 'node:path/posix';
import { z } from 'zod';
import type { DeploySpec } from '../../protocol/job-spec.ts';
import { JobFailure } from '../jobs/job.ts';
import { refuseTraversal } from '../source/safe-path.ts';
import type { ServiceFiles } from './service-files.ts';

/** The variable that goes before the field `dockerfilePath`. */
export const dockerfileVariable = 'SERVICE_DOCKERFILE_PATH';

export interface BuildWish {
  build: DeploySpec['build'];
  runtimeMode: DeploySpec['runtimeMode'];
  env: Readonly<Record<string, string>>;
}

export type BuildDecision =
  /** `dockerfile`: its path, relative to the service root. */
  | { type: 'dockerfile'; dockerfile: string }
  /** Files that are served as they are. `directory`: relative to the service root. */
  | { type: 'static'; directory: string };

/** A static site is asked for by its mode, or by naming the directory to serve (DECISIONS, Fields). */
export const isStaticSite = (wish: Pick<BuildWish, 'build' | 'runtimeMode'>) =>
  wish.runtimeMode === 'static' || (wish.runtimeMode === 'web' && Boolean(wish.build.staticOutput));

/**
 * Chooses the build.
 * @throws JobFailure `build_method_missing` with a sentence; `source_refused` for paths that lead out of the repository
 */
export async function decideBuildMethod(files: ServiceFiles, wish: BuildWish): Promise<BuildDecision> {
  const dockerfile = wish.env[dockerfileVariable] || wish.build.dockerfilePath || 'Dockerfile';
  refuseTraversal(dockerfile, wish.env[dockerfileVariable] ? dockerfileVariable : 'dockerfilePath');
  switch (wish.build.method) {
    case 'dockerfile':
      if (await files.hasFile(dockerfile)) return { type: 'dockerfile', dockerfile };
      throw missing(
        `The build method is "dockerfile", but the repository has no file ${dockerfile} in the service's root.`,
      );
    case 'auto':
      if (await files.hasFile(dockerfile)) return { type: 'dockerfile', dockerfile };
      return await staticFiles(files, wish, `The repository has no file ${dockerfile}`);
    case 'analyzer':
      return await staticFiles(files, wish, 'The build method is "analyzer"');
  }
}

/** Plain files are served as they are; everything that has to be built first needs a Dockerfile until the analyzer is here. */
async function staticFiles(files: ServiceFiles, wish: BuildWish, why: string): Promise<BuildDecision> {
  const directory = wish.build.staticOutput || '.';
  refuseTraversal(directory, 'staticOutput');
  if (wish.runtimeMode === 'worker') throw missing(`${why}, and a worker cannot be built from plain files.`);
  if (wish.build.buildCommand || (await hasBuildScript(files))) {
    throw missing(
      `${why}, and this project has a build step that Longshore cannot run yet. Add a Dockerfile.`,
    );
  }
  if (await files.hasFile(join(directory, 'index.html'))) return { type: 'static', directory };
  const place = directory === '.' ? 'no index.html' : `no ${join(directory, 'index.html')}`;
  throw missing(
    `${why}, and ${place} to serve as a static site. Add a Dockerfile, or check rootDir and staticOutput.`,
  );
}

const packageSchema = z.object({ scripts: z.record(z.string(), z.unknown()).optional() });

/** An index.html beside a package.json with `build` or `start` is the source of an app, not a site. */
async function hasBuildScript(files: ServiceFiles): Promise<boolean> {
  const text = await files.readText('package.json');
  if (text === undefined) return false;
  try {
    const { scripts } = packageSchema.parse(JSON.parse(text));
    return scripts?.build !== undefined || scripts?.start !== undefined;
  } catch {
    return false; // not a package file that anything could run
  }
}

function missing(message: string): JobFailure {
  return new JobFailure('build_method_missing', message);
}
