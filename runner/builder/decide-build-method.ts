/** Decides the build method of a repository, by the rules of docs/guide/builds.md. */
import type { DeploySpec } from '../../protocol/job-spec.ts';
import { dockerfileNames } from '../../protocol/sources/source-files.ts';
import { JobFailure } from '../base/job-failure.ts';
import { refuseTraversal } from '../source/safe-path.ts';
import type { ProjectFiles } from './analyzer/project-files.ts';

/** The variable that overrides the field `dockerfilePath`. */
const dockerfileVariable = 'SERVICE_DOCKERFILE_PATH';

export interface BuildSettings {
  build: DeploySpec['build'];
  runtimeMode: DeploySpec['runtimeMode'];
  env: Readonly<Record<string, string>>;
}

export type BuildDecision =
  /** `dockerfile`: its path, relative to the service root. */
  { type: 'dockerfile'; dockerfile: string } | { type: 'analyzer' };

/** True if a static site is requested, by its mode or by the directory to serve. */
export const isStaticSite = (settings: Pick<BuildSettings, 'build' | 'runtimeMode'>) =>
  settings.runtimeMode === 'static' ||
  (settings.runtimeMode === 'web' && Boolean(settings.build.staticOutput));

/**
 * Chooses the builder.
 * @throws JobFailure `build_method_missing` with a sentence; `source_refused` for paths outside the repository
 */
export function decideBuildMethod(files: ProjectFiles, settings: BuildSettings): BuildDecision {
  const given = settings.env[dockerfileVariable] || settings.build.dockerfilePath;
  const dockerfile = given || dockerfileNames.find((name) => files.has(name)) || 'Dockerfile';
  refuseTraversal(dockerfile, settings.env[dockerfileVariable] ? dockerfileVariable : 'dockerfilePath');
  refuseTraversal(settings.build.staticOutput || '.', 'staticOutput');
  if (settings.build.method === 'analyzer') return { type: 'analyzer' };
  if (files.has(dockerfile)) return { type: 'dockerfile', dockerfile };
  if (settings.build.method === 'auto') return { type: 'analyzer' };
  throw new JobFailure(
    'build_method_missing',
    `The build method is "dockerfile", but the repository has no file ${dockerfile} in the service's root.`,
  );
}
