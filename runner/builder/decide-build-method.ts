/** Decides who builds a repository, by the rules of docs/guide/builds.md. */
import type { DeploySpec } from '../../protocol/job-spec.ts';
import { JobFailure } from '../base/job-failure.ts';
import { refuseTraversal } from '../source/safe-path.ts';
import type { ProjectFiles } from './analyzer/project-files.ts';

/** The variable that goes before the field `dockerfilePath`. */
const dockerfileVariable = 'SERVICE_DOCKERFILE_PATH';

export interface BuildWish {
  build: DeploySpec['build'];
  runtimeMode: DeploySpec['runtimeMode'];
  env: Readonly<Record<string, string>>;
}

export type BuildDecision =
  /** `dockerfile`: its path, relative to the service root. */
  { type: 'dockerfile'; dockerfile: string } | { type: 'analyzer' };

/** A service is a static site by its mode, or because it names the directory to serve. */
export const isStaticSite = (wish: Pick<BuildWish, 'build' | 'runtimeMode'>) =>
  wish.runtimeMode === 'static' || (wish.runtimeMode === 'web' && Boolean(wish.build.staticOutput));

/**
 * Chooses the builder.
 * @throws JobFailure `build_method_missing` with a sentence; `source_refused` for paths that lead out of the repository
 */
export function decideBuildMethod(files: ProjectFiles, wish: BuildWish): BuildDecision {
  const dockerfile = wish.env[dockerfileVariable] || wish.build.dockerfilePath || 'Dockerfile';
  refuseTraversal(dockerfile, wish.env[dockerfileVariable] ? dockerfileVariable : 'dockerfilePath');
  refuseTraversal(wish.build.staticOutput || '.', 'staticOutput');
  if (wish.build.method === 'analyzer') return { type: 'analyzer' };
  if (files.has(dockerfile)) return { type: 'dockerfile', dockerfile };
  if (wish.build.method === 'auto') return { type: 'analyzer' };
  throw new JobFailure(
    'build_method_missing',
    `The build method is "dockerfile", but the repository has no file ${dockerfile} in the service's root.`,
  );
}
